#pragma once
#include <libpq-fe.h>

#ifndef LIBPQ_HAS_PIPELINING
#error "the ledger in PostgreSQL needs libpq 14 or later"
#endif

// libpq spells these as macros of character literals, which Swift cannot import.
static const int CPostgreSQL_sqlstate = PG_DIAG_SQLSTATE;
static const int CPostgreSQL_message = PG_DIAG_MESSAGE_PRIMARY;
static const int CPostgreSQL_severity = PG_DIAG_SEVERITY_NONLOCALIZED;
