#pragma once

// The commit that the command was built from, such as "1a2b3c4d5e6f", or "unknown" outside of make.
const char *CPaytokenVersion_commit(void);
