/*
 * "An order is charged once": the protocol between the ledger, the processes that pay and recover, and a gateway.
 *
 * Three processes pay for one order with three tokens, any number of others recover it, show it or receive messages about
 * it, and a person decides. README.md explains the states, the abstractions and the results; model.py checks the sound
 * protocol for each class of gateways, and that each rule is needed.
 *
 * GATEWAY is what the gateway does with a second request for the same slot:
 *   KEYS     it keeps the first answer for a key, for any payload
 *   OBJECT   it has one payable object for each slot, which is paid at most once and can be closed
 *   UNIQUE   it refuses a reference that it knows, as a duplicate
 *   RETRIED  it honors keys, but forgets refusals: a refused request is attempted again
 *   QUERY    it charges again, and can be asked about a reference
 *   NOTHING  it charges again, cannot be asked, and only sends messages
 *
 * RETURNS adds refunds, chargebacks and the shop's word; LOSS a ledger that loses what it stored last;
 * EXPIRY keys that are forgotten. BREAK_... leaves out one rule.
 */
#define KEYS 1
#define OBJECT 2
#define UNIQUE 3
#define RETRIED 4
#define QUERY 5
#define NOTHING 6

#ifndef GATEWAY
#define GATEWAY KEYS
#endif
#ifndef ATTEMPTS
#define ATTEMPTS 3
#endif

/* One of something for each attempt. */
#if ATTEMPTS == 4
#define EACH(f) f(0) f(1) f(2) f(3)
#define ALL(f) (f(0) && f(1) && f(2) && f(3))
#define ANY(f, x) (f(0, x) || f(1, x) || f(2, x) || f(3, x))
#else
#define EACH(f) f(0) f(1) f(2)
#define ALL(f) (f(0) && f(1) && f(2))
#define ANY(f, x) (f(0, x) || f(1, x) || f(2, x))
#endif

/* The gateways of these classes make at most one payment in a slot. */
#define ONE_PAYMENT_PER_SLOT (GATEWAY == KEYS || GATEWAY == OBJECT || GATEWAY == UNIQUE)

/*
 * A report, and the state of a payment at the gateway. `nothing`: not found, an error or silence. `unasked`: no process has
 * a report that it has not recorded.
 */
mtype:report = { unasked, nothing, undecided, captured, declined, refund_requested, refunded, charged_back, duplicate };

/*
 * The state of an attempt. `open` is every state of the design that has no amounts; `partly-...` and `authorized` behave
 * like `open` or `paid`. `given_up` is `refused` by the word of a person.
 */
mtype:state = { absent, claimed, sending, open, paid, refused, returning, returned, charged, released, given_up };

/* The properties, each by the name of its fault. */
mtype:verdict = { charged_twice, charged_without_the_shop, paid_without_money, paid_with_an_old_answer, refused_with_money,
    record_differs_at_rest, open_with_a_payment };

/* The ledger. An attempt's serial is its index. All of it is durable, and each step changes it in one transaction. */
byte attempts;
mtype:state state[ATTEMPTS] = absent;
byte slot[ATTEMPTS];
bit late_charge;

/*
 * The owner of each attempt: the process that claimed it. It may stop for any time at each step, and end at each step.
 * A request is under way until it arrives or is lost, however late, and also after its owner has ended.
 */
mtype:owner = { gone, working, waiting };
mtype:owner owner[ATTEMPTS] = gone;
bit request[ATTEMPTS];
mtype:report answer[ATTEMPTS] = nothing;

/*
 * The report about an attempt that a process has read and not yet recorded. Any number of them may ask at the same time. Each
 * write names the record that was read before the gateway was asked, so of those that read the same record only the
 * first writes; it suffices to remember what that one heard. When the record changes, the others' writes will fail, and
 * they are forgotten.
 */
mtype:report heard[ATTEMPTS] = unasked;

/*
 * The gateway's payments: one for each slot, or one for each request. Each attempt has a token of its own, because the
 * same token again returns the attempt's outcome and sends nothing. A key of the token is thus a key of the attempt.
 */
mtype:report payment[ATTEMPTS] = nothing;
#if (GATEWAY == QUERY || GATEWAY == NOTHING || defined(BREAK_KEY_OF_TOKEN) || defined(BREAK_OBJECT_NOT_STORED))
#define PAYMENT_OF(a) (a)
#define HAS(k, s, r) (attempts > k && slot[k] == (s) && payment[k] == r)
#if ATTEMPTS == 4
#define SOME(s, r) (HAS(0, s, r) || HAS(1, s, r) || HAS(2, s, r) || HAS(3, s, r))
#else
#define SOME(s, r) (HAS(0, s, r) || HAS(1, s, r) || HAS(2, s, r))
#endif
#else
#define PAYMENT_OF(a) slot[a]
#define SOME(s, r) (payment[s] == r)
#endif
#define HOLDS(p) (payment[p] == captured || payment[p] == refund_requested)

/* Counters for the properties. */
byte captures;
#ifdef RETURNS
byte words;
bit was_returned[ATTEMPTS];
#else
#define words 0
#endif
#ifdef EXPIRY
bit forgotten[ATTEMPTS];
bit expired[ATTEMPTS];
#endif

mtype:verdict verdict = charged_twice;
byte i;
byte j;
mtype:report r = nothing;
mtype:state next = absent;

/* The gateway's report about a slot: if there are several payments, all are read, and money comes first. */
#define REPORT(s) ( \
    SOME(s, captured) -> captured : (SOME(s, refund_requested) -> refund_requested : \
    (SOME(s, undecided) -> undecided : (SOME(s, charged_back) -> charged_back : \
    (SOME(s, refunded) -> refunded : (SOME(s, declined) -> declined : nothing))))))

/* A late message about the payment itself: messages are late, repeated and out of order, so it may be older than refunds. */
#define MESSAGE(s) ( \
    (SOME(s, captured) || SOME(s, refund_requested) || SOME(s, charged_back) || SOME(s, refunded)) -> captured : REPORT(s))

#define WITHOUT_MONEY(x) (x == refused || x == given_up || x == released)
#define WITH_MONEY(x) (x == paid || x == returning || x == returned || x == charged)
#define MONEY(r) (r == captured || r == refund_requested)

#define LATER(b, a) ((b) > (a) && attempts > (b) && slot[a] == slot[b])
#define EARLIER(b, a) ((b) < (a) && slot[a] == slot[b])
#define LAST_OF_SLOT(a) (!ANY(LATER, a))
#define FIRST_OF_SLOT(a) (!ANY(EARLIER, a))

/* Rule "settled": the owner is proved to have ended, no request is under way, and the gateway's books show nothing. */
#if defined(BREAK_SETTLED_OWNER)
#define SETTLED(a) (!request[a] && REPORT(slot[a]) == nothing)
#elif defined(BREAK_SETTLED_NETWORK)
#define SETTLED(a) (owner[a] == gone && REPORT(slot[a]) == nothing)
#elif defined(BREAK_SETTLED_BOOKS)
#define SETTLED(a) (owner[a] == gone && !request[a])
#else
#define SETTLED(a) (owner[a] == gone && !request[a] && REPORT(slot[a]) == nothing)
#endif

/* Rule "compare and swap": a change names the record that was read, and is not made if that has changed. */
#ifdef BREAK_VERSION
/* The condition names the state alone: a record that changed twice, and is in the same state again, seems unchanged. */
mtype:state read[ATTEMPTS] = absent;
#define UNCHANGED(a, was) (state[a] == was)
#define FORGET(a)
#define REMEMBER(k) read[k] = state[k];
#define READ(k) read[k]
#define STILL(k) (state[k] == read[k])
#elif defined(BREAK_SWAP)
/* A process writes what follows from the state that it read, whatever became of it. */
mtype:state read[ATTEMPTS] = absent;
#define UNCHANGED(a, was) true
#define FORGET(a)
#define REMEMBER(k) read[k] = state[k];
#define READ(k) read[k]
#else
#define UNCHANGED(a, was) (state[a] == was)
#define FORGET(a) heard[a] = unasked
#define REMEMBER(k)
#define READ(k) state[k]
#endif
#ifndef STILL
#define STILL(k) true
#endif

inline change(a, to) {
    if
    :: state[a] != to -> printf("  ledger: attempt %d: %e -> %e\n", a, state[a], to); FORGET(a); state[a] = to
    :: else
    fi
}

/* Rule "refund done": a refund that is only requested, or a dispute, is not `returned`. */
#ifdef BREAK_REFUND_DONE
#define RETURNING returned
#else
#define RETURNING returning
#endif
/* A message about an operation states no outcome: where the gateway cannot be asked, the order is `unknown` from then on. */
#if GATEWAY == NOTHING
#define RETURNED returning
#define CHARGED_BACK returning
#else
#define RETURNED returned
#define CHARGED_BACK charged
#endif

/* Rule "not found": only a report about a payment ends what was `sending`. */
#ifdef BREAK_NOT_FOUND
#define NOT_FOUND(was) refused
#elif defined(BREAK_NOT_FOUND_IN_SLOT)
#define NOT_FOUND(was) given_up
#elif defined(BREAK_OWNER_RELEASES)
#define NOT_FOUND(was) (was == sending -> released : was)
#else
#define NOT_FOUND(was) was
#endif

/*
 * Rule "lost sending": recover releases what is `claimed`, because nothing was sent. In a ledger that can lose `sending`
 * that proves nothing, so it must be settled first, unless the gateway makes one payment in a slot.
 */
#if defined(LOSS) && !ONE_PAYMENT_PER_SLOT && !defined(BREAK_LOST_SENDING)
#define RELEASE(a) (SETTLED(a) -> released : claimed)
#else
#define RELEASE(a) released
#endif

/* Rule "totals": a report that is not newer than the record never makes its totals smaller; a fresh one does. */
#if GATEWAY == NOTHING && !defined(BREAK_TOTALS) || defined(BREAK_FRESH_TOTALS)
#define FEWER(was) (was == paid -> paid : was)
#else
#define FEWER(was) paid
#endif

/* The state of attempt `a` after a report, if the state that was read is `was`. */
#define NEXT(a, was, r) ( \
    WITHOUT_MONEY(was) -> (was == given_up && r == declined -> refused : was) : \
    (WITH_MONEY(was) && (r == nothing || r == undecided || r == declined) -> was : \
    (was == claimed && r == nothing -> RELEASE(a) : \
    (r == nothing -> NOT_FOUND(was) : \
    (r == captured -> (WITH_MONEY(was) -> FEWER(was) : paid) : \
    (r == declined -> refused : \
    (r == undecided -> open : \
    (r == refund_requested -> RETURNING : \
    (r == refunded -> RETURNED : CHARGED_BACK)))))))))

/* Rule "late charge": a report of money for an attempt that ended without it is recorded beside it. */
#ifdef BREAK_LATE_CHARGE
#define IS_LATE(was, r) false
#else
#define IS_LATE(was, r) (WITHOUT_MONEY(was) && MONEY(r))
#endif

#define TELLS(a, r) (NEXT(a, state[a], r) != state[a] || IS_LATE(state[a], r) && !late_charge)

#ifdef RETURNS
#define WAS_RETURNED(a) (was_returned[a] && SOME(slot[a], refunded))
#else
#define WAS_RETURNED(a) false
#endif

/* With PROPERTY, only that is judged. */
#ifdef PROPERTY
#define JUDGED(what) (what == PROPERTY)
#else
#define JUDGED(what) true
#endif

inline fail(what) {
    if
    :: JUDGED(what) -> verdict = what; printf("verdict: %e\n", verdict); assert(false)
    :: else
    fi
}

/* The one place at which an attempt's state follows from a report. */
inline conclude(a, was, r) {
    next = NEXT(a, was, r);
    late_charge = late_charge || IS_LATE(was, r);
    if
    :: next == paid && was != paid && WAS_RETURNED(a) -> fail(paid_with_an_old_answer)
    :: next == paid && (was == returned || GATEWAY == NOTHING && was == returning) && SOME(slot[a], refunded) ->
        fail(paid_with_an_old_answer)
    :: next == paid && !WITH_MONEY(was) && !SOME(slot[a], captured) && !SOME(slot[a], refund_requested) &&
        !SOME(slot[a], refunded) && !SOME(slot[a], charged_back) -> fail(paid_without_money)
    :: next == refused && was != refused && (SOME(slot[a], captured) || SOME(slot[a], refund_requested)) ->
        fail(refused_with_money)
    :: else
    fi;
    change(a, next);
    next = absent
}

/* Money moves: the property. */
inline charge(p, again) {
    printf("  gateway: captures payment %d\n", p);
    for (j : 0 .. ATTEMPTS - 1) {
        if
        :: HOLDS(j) -> fail(charged_twice)
        :: else
        fi
    };
    j = 0;
    payment[p] = captured;
    captures = captures + again;
    if
    :: captures > 1 + words -> fail(charged_without_the_shop)
    :: else
    fi
}

/* Rule "one live attempt": a reference can have a new attempt after the last one was released or refused, and none while */
/* a late charge is open. After `returned` it needs the shop's word, and never after a chargeback. */
#define LAST state[attempts - 1]
#if defined(BREAK_ONE_ATTEMPT)
#define FREE true
#elif defined(BREAK_WORD)
#define FREE (WITHOUT_MONEY(LAST) || LAST == returned)
#define BY_WORD false
#elif defined(BREAK_CHARGEBACK)
#define FREE WITHOUT_MONEY(LAST)
#define BY_WORD (LAST == returned || LAST == charged)
#else
#define FREE WITHOUT_MONEY(LAST)
#endif
#ifndef BY_WORD
#ifdef RETURNS
#define BY_WORD (LAST == returned)
#else
#define BY_WORD false
#endif
#endif
#ifdef BREAK_LATE_CHARGE_BLOCKS
#define NO_LATE_CHARGE true
#else
#define NO_LATE_CHARGE (!late_charge)
#endif
#define MAY_CLAIM (attempts == 0 || attempts < ATTEMPTS && NO_LATE_CHARGE && (FREE || BY_WORD))

/* Rule "slots": the number of payments of the order that the gateway itself stated as refused or returned. */
#ifdef BREAK_SLOT_OF_PERSON
#define COUNTS(x) (x == refused || x == returned || x == charged || x == given_up)
#else
#define COUNTS(x) (x == refused || x == returned || x == charged)
#endif

inline claim(a) {
    a = attempts;
#ifdef RETURNS
    if
    :: attempts > 0 && !(FREE) -> words++; printf("  shop: pay again after attempt %d\n", attempts - 1)
    :: else
    fi;
#endif
    for (j : 0 .. ATTEMPTS - 1) {
        if
        :: j < attempts && COUNTS(state[j]) && slot[j] >= slot[a] -> slot[a] = slot[j] + 1
        :: else
        fi
    };
    j = 0;
    state[a] = claimed;
    owner[a] = working;
    attempts++;
#ifdef RETURNS
    was_returned[a] = SOME(slot[a], refunded);
#endif
    printf("owner %d claims attempt %d, slot %d\n", a, a, slot[a])
}

/* Rules "send limit" (15 s since `sending`) and "key age": the gateway is asked before an old key is used. */
#ifdef EXPIRY
#ifdef BREAK_SEND_LIMIT
#define IN_TIME(a) true
#else
#define IN_TIME(a) (!expired[a])
#endif
#ifdef BREAK_KEY_AGE
#define KEY_IS_KNOWN(a) true
#else
#define KEY_IS_KNOWN(a) (!forgotten[slot[a]] || REPORT(slot[a]) == nothing)
#endif
#define MAY_SEND(a) (IN_TIME(a) && KEY_IS_KNOWN(a))
#else
#define MAY_SEND(a) true
#endif

/* Rule "repetition": the same request again, only where the first answer is kept. */
#if GATEWAY == KEYS || defined(BREAK_REPETITION)
#define MAY_REPEAT true
#else
#define MAY_REPEAT false
#endif

/* Rule "first answer": if an earlier attempt used the slot, the answer may be its answer, and old: the gateway is asked. */
#ifdef BREAK_FIRST_ANSWER
#define OLD_ANSWER(a) false
#else
#define OLD_ANSWER(a) (answer[a] == captured && !FIRST_OF_SLOT(a))
#endif

/* Rule "duplicate": it means that there is a payment, not what became of it. */
#ifdef BREAK_DUPLICATE
#define DUPLICATE declined
#else
#define DUPLICATE undecided
#endif

inline end(a) {
    owner[a] = gone; answer[a] = nothing; printf("owner %d ends\n", a); goto ended
}

/* A process that pays, and so becomes the owner of attempt a. To crash is to end. */
active [ATTEMPTS] proctype Owner() {
    byte a = _pid;

    atomic { attempts == a && MAY_CLAIM -> claim(a) };

#ifdef BREAK_DURABLE
    /* Rule "durable": the first byte leaves before `sending` is durable. */
    if
    :: atomic { owner[a] = waiting; request[a] = true; printf("owner %d sends\n", a) }
    :: atomic { end(a) }
    fi;
    if
    :: atomic { UNCHANGED(a, claimed) -> change(a, sending); goto sent }
    :: atomic { end(a) }
    fi;
#endif
    if
    :: atomic { UNCHANGED(a, claimed) -> printf("owner %d is going to send:\n", a); change(a, sending) }
    :: atomic { end(a) }
    fi;

    /* The clock is read and the first byte is sent in one step: a stop between them is as long as one before them. */
    if
    :: atomic { MAY_SEND(a) -> owner[a] = waiting; request[a] = true; printf("owner %d sends\n", a) }
    :: atomic { UNCHANGED(a, sending) -> printf("owner %d knows that nothing was sent:\n", a); change(a, released); end(a) }
    :: atomic { end(a) }
    fi;

    /*
     * It records the answer. If the record has changed, it reads again, and records what is not older than the record. An
     * answer about a slot that has a later attempt is about that one: the gateway is asked. Without an answer the attempt
     * becomes `open`, which differs from `sending` for its owner alone: it just ends.
     */
sent:
    if
    :: atomic { answer[a] != nothing ->
        printf("owner %d reads the answer %e, and records:\n", a, answer[a]);
        if
        :: !LAST_OF_SLOT(a) || WITH_MONEY(state[a])
        :: else ->
            if
            :: answer[a] == duplicate -> conclude(a, state[a], DUPLICATE)
            :: OLD_ANSWER(a) && !WITHOUT_MONEY(state[a]) -> change(a, open)
            :: else -> conclude(a, state[a], answer[a])
            fi
        fi;
        end(a) }
    :: atomic { MAY_REPEAT && MAY_SEND(a) && !request[a] ->
        request[a] = true; answer[a] = nothing; printf("owner %d repeats the request\n", a); goto sent }
#ifdef BREAK_NOT_SENT
    /* Rule "not sent": the client says so although bytes of the request are under way. */
    :: atomic { UNCHANGED(a, sending) -> printf("owner %d believes that nothing was sent:\n", a); change(a, released); end(a) }
#endif
    :: atomic { end(a) }
    fi;
ended:
    false
}

/*
 * recover, show and receive, in any number of processes. An answer that would change nothing is left out: to write the same
 * state again is nothing. Reading the record and asking are one step: if the record changes between them, the write fails.
 * A lost answer, an error and an index that lags ("not found") are runs in which no process asks.
 */
#ifdef BREAK_MATCH
/* Rule "match": a report about any payment of the order is applied to its current attempt. */
#define ASKED(k, s) (attempts > s && k == attempts - 1)
#else
#define ASKED(k, s) (attempts > k && s == slot[k] && LAST_OF_SLOT(k))
#endif
#define ASKS(k, s, report) \
    :: atomic { ASKED(k, s) && heard[k] != (report) && TELLS(k, report) -> \
        heard[k] = (report); REMEMBER(k) printf("a process asks about attempt %d (%e): %e\n", k, state[k], heard[k]) }
#if GATEWAY == NOTHING
#define ABOUT(k, s) ASKS(k, s, REPORT(s)) ASKS(k, s, MESSAGE(s))
#else
#define ABOUT(k, s) ASKS(k, s, REPORT(s))
#endif
#define ABOUT_SLOT_0(k) ABOUT(k, 0)
#define ABOUT_SLOT_1(k) ABOUT(k, 1)
#define ABOUT_SLOT_2(k) ABOUT(k, 2)
#define ABOUT_SLOT_3(k) ABOUT(k, 3)
#define RECORDS(k) \
    :: atomic { heard[k] != unasked -> \
        printf("a process records about attempt %d: %e\n", k, heard[k]); reply = heard[k]; heard[k] = unasked; \
        if \
        :: STILL(k) -> conclude(k, READ(k), reply) \
        :: else \
        fi; \
        reply = nothing }
/* Any process may close an object that is not paid, also late: whoever asks then hears that it can no longer be paid. */
#define CLOSES(k) \
    :: atomic { attempts > k && payment[PAYMENT_OF(k)] == nothing -> \
        payment[PAYMENT_OF(k)] = declined; printf("a process closes the object of attempt %d\n", k) }

active proctype Asking() {
    mtype:report reply = nothing;

    do
    EACH(ABOUT_SLOT_0) EACH(ABOUT_SLOT_1) EACH(ABOUT_SLOT_2)
#if ATTEMPTS == 4
    EACH(ABOUT_SLOT_3)
#endif
    EACH(RECORDS)
#if GATEWAY == OBJECT
    EACH(CLOSES)
#endif
    od
}

/* A new payment: the gateway captures, declines, or decides later. */
inline decide(p, again) {
    if
    :: charge(p, again); reply = captured
    :: payment[p] = declined; reply = declined
    :: GATEWAY != OBJECT -> payment[p] = undecided; reply = undecided
    fi
}

#define REQUEST_OF(k) :: request[k] -> a = k
#define UNDECIDED(k) :: payment[k] == undecided -> p = k
#define HELD(k) :: HOLDS(k) -> p = k
#define DISPUTED(k) :: payment[k] == charged_back -> p = k

#ifdef EXPIRY
#define KNOWN(p) (!forgotten[p])
#else
#define KNOWN(p) true
#endif

/* The network and the gateway. A request arrives at any time after it was sent, also after its owner has ended. */
active proctype Gateway() {
    byte a;
    byte p;
    mtype:report reply = nothing;

    do
    :: atomic {
        if EACH(REQUEST_OF) fi;
        request[a] = false;
        p = PAYMENT_OF(a);
        if
#if GATEWAY == OBJECT
        /* A declined card leaves the object payable; only closing it is an end. */
        :: payment[p] == nothing -> charge(p, 1); reply = captured
#ifdef BREAK_OBJECT_CLOSED
        :: payment[p] == nothing -> reply = declined
#else
        :: payment[p] == nothing -> reply = undecided
#endif
#ifdef BREAK_CLOSE_IS_FINAL
        :: payment[p] == declined -> charge(p, 1); reply = captured
#else
        :: payment[p] == declined -> reply = declined
#endif
        :: payment[p] != nothing && payment[p] != declined -> reply = duplicate
#else
        :: payment[p] == nothing || !KNOWN(p) -> decide(p, 1)
#if GATEWAY == RETRIED
        :: payment[p] == declined -> decide(p, 1)
#elif GATEWAY == KEYS
        :: payment[p] == declined && KNOWN(p) -> reply = declined
#endif
#if GATEWAY == KEYS || GATEWAY == RETRIED
        /* It keeps the first answer, also if the money was returned since. While it decides, it says "in progress". */
        :: payment[p] == undecided && KNOWN(p) -> reply = duplicate
        :: payment[p] != nothing && payment[p] != undecided && payment[p] != declined && KNOWN(p) -> reply = captured
#elif GATEWAY == UNIQUE
        :: payment[p] != nothing -> reply = duplicate
#else
        /* The same request twice is two payments, which shows only if a rule is broken. */
        :: payment[p] == captured || payment[p] == undecided -> fail(charged_twice)
        :: payment[p] == declined -> decide(p, 1)
#endif
#endif
        fi;
#ifdef EXPIRY
        forgotten[p] = false;
#endif
        printf("  gateway: the request of attempt %d arrives, payment %d: %e\n", a, p, reply);
        if
        :: owner[a] == waiting && answer[a] == nothing -> answer[a] = reply
        :: else
        fi;
        a = 0; p = 0; reply = nothing
    }
    :: atomic {
        if EACH(REQUEST_OF) fi;
        request[a] = false; printf("  network: the request of attempt %d is lost\n", a); a = 0
    }
    :: atomic {
        if EACH(UNDECIDED) fi;
        if
        :: payment[p] = nothing; charge(p, 1)
        :: payment[p] = declined
        fi;
        printf("  gateway: payment %d is decided: %e\n", p, payment[p]); p = 0
    }
    od
}

#ifdef RETURNS
/* Refunds that may fail, and chargebacks that the shop may win. */
active proctype Returns() {
    byte p;

    do
    :: atomic {
        if EACH(HELD) fi;
        if
        :: payment[p] == captured -> payment[p] = refund_requested
        :: payment[p] == captured -> payment[p] = charged_back
        :: payment[p] == refund_requested -> payment[p] = refunded
        :: payment[p] == refund_requested -> payment[p] = captured
        fi;
        printf("  gateway: payment %d is %e\n", p, payment[p]); p = 0
    }
    :: atomic {
        if EACH(DISPUTED) fi;
        printf("  gateway: the dispute about payment %d is won\n", p); charge(p, 0); p = 0
    }
    od
}
#endif

#define IS_OPEN(x) (x == sending || x == open)
/* Rule "person": where the gateway would charge again, a person decides only when the attempt is settled. */
#if ONE_PAYMENT_PER_SLOT
#define MAY_DECIDE(a) true
#else
#define MAY_DECIDE(a) SETTLED(a)
#endif

/* A person gives up the last attempt: where the slot protects the order, at any time and without reason. */
active proctype Person() {
    do
    :: atomic { attempts > 0 && IS_OPEN(LAST) && MAY_DECIDE(attempts - 1) ->
        printf("a person gives up\n"); change(attempts - 1, given_up) }
    od
}

#ifdef LOSS
/* Once, the ledger loses what it stored last about the last attempt, except that it was claimed. */
active proctype Loss() {
    atomic { attempts > 0 && LAST != claimed && LAST != released ->
        printf("  ledger: loses what it stored about attempt %d, which was %e\n", attempts - 1, LAST); change(attempts - 1, claimed) }
}
#endif

#ifdef EXPIRY
#define FORGETS(s) \
    :: atomic { payment[s] != nothing && payment[s] != undecided && !forgotten[s] && !ANY(UNDER_WAY, s) -> \
        forgotten[s] = true; \
        for (i : 0 .. ATTEMPTS - 1) { expired[i] = expired[i] || i < attempts && slot[i] == s && state[i] != claimed }; \
        i = 0; printf("  gateway: forgets the key of slot %d\n", s) }
#define UNDER_WAY(k, s) (attempts > k && slot[k] == s && request[k])
/*
 * A day has passed since the first request with the key, so more than 15 s since `sending` of every attempt that is past
 * it, and no request is under way any more.
 */
active proctype Expiry() {
    do
    EACH(FORGETS)
    od
}
#endif

/* The property at rest: nothing runs, nothing is under way, and each attempt that can be asked about has been. */
#define RESTS(k) (owner[k] == gone && !request[k] && heard[k] == unasked)
/*
 * Rule "ask again": attempts that ended by a person's word are asked about again, and in a ledger that can lose `sending`
 * also those that recover released.
 */
#ifdef LOSS
#define ENDED_WITHOUT_WORD(k, s) ((state[k] == given_up || state[k] == released) && slot[k] == s)
#else
#define ENDED_WITHOUT_WORD(k, s) (state[k] == given_up && slot[k] == s)
#endif
#if GATEWAY == NOTHING
#define WILL_ASK(k) false
#elif defined(BREAK_ASK_AGAIN)
#define WILL_ASK(k) (!WITHOUT_MONEY(state[k]))
#else
#define WILL_ASK(k) (!WITHOUT_MONEY(state[k]) || ANY(ENDED_WITHOUT_WORD, slot[k]))
#endif

active proctype Judge() {
    do
    :: d_step { ALL(RESTS) ->
        for (i : 0 .. ATTEMPTS - 1) {
            if
            :: i < attempts && LAST_OF_SLOT(i) ->
                r = REPORT(slot[i]);
                next = (WILL_ASK(i) -> NEXT(i, state[i], r) : state[i]);
                if
                :: MONEY(r) && WITHOUT_MONEY(next) && !late_charge && !(WILL_ASK(i) && IS_LATE(state[i], r)) && GATEWAY != NOTHING ->
                    fail(refused_with_money)
                :: MONEY(r) && WITHOUT_MONEY(next) && GATEWAY == NOTHING && !late_charge ->
                    fail(refused_with_money)
                :: MONEY(r) && !WITHOUT_MONEY(next) && GATEWAY != NOTHING && next != (r == captured -> paid : returning) ->
                    fail(record_differs_at_rest)
                :: r != nothing && r != undecided && IS_OPEN(next) && GATEWAY != NOTHING ->
                    fail(open_with_a_payment)
                :: next == paid && r != captured && !(GATEWAY == NOTHING && (r == refund_requested || r == refunded || r == charged_back)) ->
                    fail(paid_without_money)
                :: else
                fi
            :: else
            fi
        };
        i = 0; r = nothing; next = absent
    }
    od
}
