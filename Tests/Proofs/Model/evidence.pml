/*
 * "Only proof about our own payment counts": what ends an attempt, what a new one may reuse, and what a person may say, if
 * requests are booked after any delay, other channels pay under the same reference, keys are forgotten, and ledgers restored.
 *
 * Three taps for one order, each with a token of its own; any number of others ask, release and receive messages; a person
 * who looks at the gateway's books decides. README.md explains the rules and the results; model.py runs it for each class of
 * gateways, and without each rule. order.pml has what this model leaves out: amounts, returns, and lost writes.
 *
 * GATEWAY is what the gateway promises:
 *   KEPT           keeps the first answer for a key, refusals too; cannot be asked by reference
 *   KEPT_ASKED     the same, and can be asked by reference
 *   RETRIED        keeps the first payment for a key, but tries a refused request again
 *   RETRIED_ASKED  the same, and can be asked by reference
 *   ASKED          no keys, can be asked by a mark
 *   UNIQUE         a reference has at most one payment
 *   OBJECT         an object of the gateway's is paid at most once
 *   SILENT         neither keys nor questions
 *
 * FOREIGN adds another channel's payment, RESTORE a ledger that loses every record once. UNBOUNDED leaves out an assumption of
 * the guarantee: that no request is under way after a day. BREAK_... leaves out one rule.
 */
#define KEPT 1
#define RETRIED 2
#define KEPT_ASKED 3
#define RETRIED_ASKED 4
#define ASKED 5
#define UNIQUE 6
#define OBJECT 7
#define SILENT 8

#ifndef GATEWAY
#define GATEWAY KEPT
#endif
#define HAS_KEYS (GATEWAY <= RETRIED_ASKED)
#define KEEPS_REFUSALS (GATEWAY == KEPT || GATEWAY == KEPT_ASKED)
#define CAN_ASK (GATEWAY >= KEPT_ASKED && GATEWAY <= OBJECT)
#define ONE_PAYMENT_PER_SLOT (GATEWAY == UNIQUE || GATEWAY == OBJECT)

#define TAPS 3
#define SLOTS 3
#define EACH(f) f(0) f(1) f(2)
#define NONE 7

/* What a request is answered with; the last two name a payment. A proxy answers in the gateway's place. */
#define UNHEARD 0
#define PROXY 1
#define REJECTED 2
#define DUPLICATE 3
#define DECLINED 4
#define CAPTURED 5

/* The states of a record: `refused` by the gateway with a payment, `rejected` without one, `given_up` by a person. */
mtype:state = { absent, claimed, open, paid, refused, rejected, given_up, released };

/* What the owner of an attempt does: `ready` once `sending` is stored, before the first byte. */
mtype:owner = { idle, claiming, ready, waiting, gone };

/* The properties, each by the name of its fault. */
mtype:verdict = { charged_twice, refused_with_money, paid_without_money, alarm_lost, dead_order };

/*
 * The ledger. A record's serial is its index. `sent` counts the requests that can move money, `answered` those that the gateway
 * answered; `payment_of` is a payment's number, from 1. `in_key_time`: a person gave it up while the key was remembered.
 */
byte count;
mtype:state state[TAPS] = absent;
byte slot[TAPS];
byte generation[TAPS];
byte sent[TAPS];
byte answered[TAPS];
byte payment_of[TAPS];
byte owner_of[TAPS];
bit in_key_time[TAPS];
/* Money that does not pay the order: 1 until a person explains it, 2 if there are two payments for good. */
byte alarm;
/* A person lets the foreign payment pay the order. */
bit adopted;
bit restored;
/* The order had an attempt: what the shop states in `created`. */
bit begun;

/* The owners, one for each tap. Requests stay under way until they arrive, however late. */
mtype:owner tap[TAPS] = idle;
byte record_of[TAPS];
byte requests[TAPS];
byte key_of[TAPS];
byte answer[TAPS];
byte answered_payment[TAPS];

/* The gateway: up to two payments in a slot, and what it keeps for a key, 2 * slot + generation. */
byte payment[2 * SLOTS];
byte kept[2 * SLOTS];
byte kept_payment[2 * SLOTS];
/* A day has passed since the first request in the slot. */
bit old[SLOTS];
/* Another channel's payment with the order's reference. */
byte foreign;

mtype:verdict verdict = charged_twice;

/* Scratch, zero between steps. */
byte k;
byte s;
byte g;
byte p;
byte r;
byte x;
bit isNew;

#define CAPTURED_IN(s) (payment[2 * (s)] == CAPTURED || payment[2 * (s) + 1] == CAPTURED)
#define DECLINED_IN(s) (payment[2 * (s)] == DECLINED || payment[2 * (s) + 1] == DECLINED)
#define FULL(s) (payment[2 * (s)] && payment[2 * (s) + 1])
#define OWN_MONEY (CAPTURED_IN(0) || CAPTURED_IN(1) || CAPTURED_IN(2))
#define NOTHING_UNDER_WAY (!requests[0] && !requests[1] && !requests[2])
#define AT_WORK(i) (tap[i] != idle && tap[i] != gone)
#define IS_LOST(i) (AT_WORK(i) && record_of[i] == NONE)

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

inline leave(i) { tap[i] = gone; record_of[i] = 0; answer[i] = UNHEARD; answered_payment[i] = 0 }

/* k becomes the record that decides: a released one counts as absent. */
inline deciding() {
    k = NONE;
    for (x : 0 .. TAPS - 1) {
        if
#ifdef BREAK_TAKE_OVER
        :: x < count -> k = x
#else
        :: x < count && state[x] != released -> k = x
#endif
        :: else
        fi
    };
    x = 0
}

/* k becomes the record of a slot that decides. */
inline lastOf(which) {
    k = NONE;
    for (x : 0 .. TAPS - 1) {
        if
        :: x < count && state[x] != released && slot[x] == which -> k = x
        :: else
        fi
    };
    x = 0
}

/* --- Evidence. It is about our payment: an answer to our request, a payment that such an answer named, or our mark. */

/* Money of payment `number` in a slot is heard. It never reopens a record, and explained money still counts as money. */
inline hearMoney(place, number) {
    lastOf(place);
    if
    :: k != NONE && (state[k] == claimed || state[k] == open) -> state[k] = paid; payment_of[k] = number
    :: k != NONE && state[k] == paid && payment_of[k] != number -> alarm = 2
    :: k != NONE && state[k] == paid && payment_of[k] == number
    :: else -> alarm = (alarm == 0 -> 1 : alarm)
    fi;
#ifndef BREAK_EXPLAINED
    if
    :: adopted -> alarm = 2
    :: else
    fi;
#endif
    k = 0
}

/* A declined payment is heard, as the answer to a record, or with NONE by a question or a message. */
inline hearDecline(place, number, by) {
    isNew = true;
    for (x : 0 .. TAPS - 1) {
        if
        :: x < count && payment_of[x] == number -> isNew = false
        :: else
        fi
    };
    x = 0;
    k = by;
    if
    :: k == NONE -> lastOf(place)
    :: else
    fi;
    if
    :: k != NONE && (isNew || by != NONE) && (state[k] == open || state[k] == given_up) && !payment_of[k] ->
        state[k] = refused; payment_of[k] = number;
        if
        :: CAPTURED_IN(place) || OWN_MONEY && k == count - 1 -> fail(refused_with_money)
        :: else
        fi
    :: else
    fi;
    k = 0; isNew = false
}

/*
 * Rule "refusals": a refusal without a payment ends the attempt only if the gateway answered every request that was counted in
 * the slot, or keeps it for the key; and it keeps the slot.
 */
#define IS_ANSWERED(x, k) (x >= count || slot[x] != slot[k] || answered[x] >= sent[x])
#ifdef BREAK_COUNTED
#define ALL_ANSWERED(k) true
#else
#define ALL_ANSWERED(k) (KEEPS_REFUSALS || IS_ANSWERED(0, k) && IS_ANSWERED(1, k) && IS_ANSWERED(2, k))
#endif
#ifdef BREAK_REJECTED_KEEPS_SLOT
#define AFTER_REJECTION refused
#else
#define AFTER_REJECTION rejected
#endif
/* Rule "own errors": only the vendor's own error refuses. */
#ifdef BREAK_OWN_ERRORS
#define IS_REJECTION(r) (r == REJECTED || r == PROXY)
#else
#define IS_REJECTION(r) (r == REJECTED)
#endif

/* --- Taps. */

/* Rule "decision": a person's word within the key's time permits an attempt only within it. */
#ifdef BREAK_DECISION
#define DECISION_HOLDS(k) true
#else
#define DECISION_HOLDS(k) (!in_key_time[k] || !old[slot[k]])
#endif

/* Rule "take over": another tap goes on with the same record as long as the key is remembered. */
#ifdef BREAK_TAKE_OVER
#define MAY_TAKE_OVER false
#define OPEN_PERMITS (HAS_KEYS && !old[slot[k]])
#else
#define MAY_TAKE_OVER (HAS_KEYS && !old[slot[k]] && sent[k] < 3)
#define OPEN_PERMITS false
#endif
/* Rule "released": only an attempt that counted one request at most is released. */
#ifdef BREAK_RELEASED
#define MAY_RELEASE(k) true
#else
#define MAY_RELEASE(k) (sent[k] <= 1)
#endif

/* Rule "forgotten": a slot whose key is forgotten can be used again, once it is settled. */
#ifdef BREAK_FORGOTTEN
#define MAY_REUSE(s) (CAN_ASK || !old[s])
#else
#define MAY_REUSE(s) true
#endif

/* Rule "person": at any time while the key is remembered or with one payment in a slot, else after a day. */
#define PERSON_MAY(k) (ONE_PAYMENT_PER_SLOT || HAS_KEYS && !old[slot[k]] || old[slot[k]])

/* Rules about a restored ledger: ask once the owners of before have ended and nothing is under way, ask for every slot, and */
/* where nobody can be asked, only orders that began later are charged. */
#ifdef BREAK_ASK_LATE
#define MAY_ASK true
#else
#define MAY_ASK (!IS_LOST(0) && !IS_LOST(1) && !IS_LOST(2) && NOTHING_UNDER_WAY)
#endif
#ifdef BREAK_CREATED
#define IS_LATER true
#else
#define IS_LATER (!begun)
#endif

/* s becomes the first slot without a payment of ours, or NONE if one holds money. */
inline firstEmpty() {
    s = 0;
#ifndef BREAK_EVERY_SLOT
    do
    :: s < SLOTS - 1 && DECLINED_IN(s) && !CAPTURED_IN(s) -> s++
    :: else -> break
    od;
#endif
    if
    :: CAPTURED_IN(s) -> s = NONE
    :: else
    fi
}

inline begin(i, place, with) {
    state[count] = claimed; slot[count] = place; generation[count] = with; owner_of[count] = i;
    record_of[i] = count; tap[i] = claiming; count++;
    old[place] = 0; begun = 1;
    printf("tap %d: record %d, slot %d, generation %d\n", i, count - 1, place, with)
}

#define BEGINS(i) \
    :: d_step { tap[i] == idle && (i == 0 || tap[i - 1] != idle) && alarm == 0 && !adopted -> \
        deciding(); \
        if \
        :: k == NONE && !restored -> begin(i, 0, 0) \
        :: k == NONE && restored && CAN_ASK && MAY_ASK -> firstEmpty(); \
            if \
            :: s == NONE -> leave(i) \
            :: s != NONE && foreign == CAPTURED -> alarm = 1; leave(i) \
            :: else -> begin(i, s, 0) \
            fi \
        :: k == NONE && restored && !CAN_ASK && IS_LATER -> begin(i, 0, 0) \
        :: k != NONE && state[k] == refused && slot[k] < SLOTS - 1 -> s = slot[k] + 1; begin(i, s, 0) \
        :: k != NONE && state[k] == rejected && KEEPS_REFUSALS && generation[k] == 0 -> s = slot[k]; begin(i, s, 1) \
        :: k != NONE && state[k] == rejected && !KEEPS_REFUSALS && MAY_REUSE(slot[k]) -> \
            s = slot[k]; g = generation[k]; begin(i, s, g) \
        :: k != NONE && state[k] == given_up && DECISION_HOLDS(k) && MAY_REUSE(slot[k]) -> \
            s = slot[k]; g = generation[k]; begin(i, s, g) \
        :: k != NONE && (state[k] == released && MAY_REUSE(slot[k]) || state[k] == open && OPEN_PERMITS) -> \
            s = slot[k]; g = generation[k]; begin(i, s, g) \
        :: k != NONE && state[k] == open && MAY_TAKE_OVER -> \
            owner_of[k] = i; record_of[i] = k; sent[k]++; tap[i] = ready; printf("tap %d takes record %d over\n", i, k) \
        :: else -> leave(i) \
        fi; \
        k = 0; s = 0; g = 0 }

#define COUNTS(i) \
    :: d_step { tap[i] == claiming -> \
        if \
        :: owner_of[record_of[i]] == i && state[record_of[i]] == claimed -> \
            state[record_of[i]] = open; sent[record_of[i]] = 1; tap[i] = ready; printf("tap %d: sending\n", i) \
        :: else -> leave(i) \
        fi }

#define RELEASES(i) \
    :: d_step { (tap[i] == claiming || tap[i] == ready) && record_of[i] != NONE && owner_of[record_of[i]] == i && \
        (state[record_of[i]] == claimed || state[record_of[i]] == open) && MAY_RELEASE(record_of[i]) -> \
        printf("tap %d releases record %d\n", i, record_of[i]); state[record_of[i]] = released; leave(i) }

/* Between the last look at the clock and the first byte are 15 seconds at most, so both are one step. */
#define SENDS(i) \
    :: d_step { tap[i] == ready && requests[i] < 2 -> \
        key_of[i] = (record_of[i] == NONE -> key_of[i] : 2 * slot[record_of[i]] + generation[record_of[i]]); \
        requests[i]++; tap[i] = waiting; printf("tap %d sends\n", i) }

#define REPEATS(i) \
    :: d_step { HAS_KEYS && tap[i] == waiting && record_of[i] != NONE && owner_of[record_of[i]] == i && \
        state[record_of[i]] == open && sent[record_of[i]] < 2 -> \
        sent[record_of[i]]++; tap[i] = ready; answer[i] = UNHEARD; answered_payment[i] = 0; printf("tap %d repeats\n", i) }

#define HEARS(i) \
    :: d_step { tap[i] == waiting && answer[i] != UNHEARD -> \
        printf("tap %d hears %d\n", i, answer[i]); \
        if \
        :: record_of[i] == NONE \
        :: record_of[i] != NONE && IS_REJECTION(answer[i]) -> \
            k = record_of[i]; answered[k]++; \
            if \
            :: state[k] == open && ALL_ANSWERED(k) -> state[k] = AFTER_REJECTION; \
                if \
                :: CAPTURED_IN(slot[k]) || OWN_MONEY && k == count - 1 -> fail(refused_with_money) \
                :: else \
                fi \
            :: else \
            fi \
        :: record_of[i] != NONE && answer[i] == DECLINED -> \
            g = record_of[i]; s = slot[g]; p = answered_payment[i]; answered[g]++; hearDecline(s, p, g) \
        :: record_of[i] != NONE && answer[i] == CAPTURED -> \
            s = slot[record_of[i]]; p = answered_payment[i]; answered[record_of[i]]++; hearMoney(s, p) \
        :: else \
        fi; \
        if \
        :: answer[i] == PROXY || answer[i] == DUPLICATE -> answer[i] = UNHEARD \
        :: else -> leave(i) \
        fi; \
        k = 0; s = 0; g = 0; p = 0 }

/* --- The network and the gateway. */

#define PROXY_ANSWERS(i) \
    :: d_step { tap[i] == waiting && answer[i] == UNHEARD && requests[i] -> \
        answer[i] = PROXY; printf("  a proxy answers tap %d\n", i) }

/* Payment p, or the next free one of slot s, is made; p becomes its number. */
inline book() {
    if
    :: r == CAPTURED && OWN_MONEY -> fail(charged_twice)
    :: else
    fi;
    p = (payment[2 * s] == 0 -> 2 * s : 2 * s + 1);
    payment[p] = r;
    p++
}

#define ARRIVES(i, decision) \
    :: d_step { requests[i] -> \
        requests[i]--; g = key_of[i]; s = g / 2; r = UNHEARD; \
        if \
        :: HAS_KEYS && kept[g] != UNHEARD -> r = kept[g]; p = kept_payment[g] \
        :: ONE_PAYMENT_PER_SLOT && (CAPTURED_IN(s) || GATEWAY == UNIQUE && DECLINED_IN(s)) -> r = DUPLICATE \
        :: GATEWAY == OBJECT && !CAPTURED_IN(s) && decision == DECLINED -> r = DUPLICATE \
        :: else -> \
            r = decision; \
            if \
            :: r == REJECTED \
            :: r != REJECTED && FULL(s) -> r = UNHEARD \
            :: else -> book() \
            fi; \
            if \
            :: HAS_KEYS && (r >= DECLINED || r == REJECTED && KEEPS_REFUSALS) -> kept[g] = r; kept_payment[g] = p \
            :: else \
            fi \
        fi; \
        printf("  the request of tap %d arrives: %d\n", i, r); \
        if \
        :: tap[i] == waiting && answer[i] == UNHEARD -> answer[i] = r; answered_payment[i] = p \
        :: else \
        fi; \
        r = 0; p = 0; s = 0; g = 0 }
#define ARRIVES_CAPTURED(i) ARRIVES(i, CAPTURED)
#define ARRIVES_DECLINED(i) ARRIVES(i, DECLINED)
#define ARRIVES_REJECTED(i) ARRIVES(i, REJECTED)

#define IS_LOST_REQUEST(i) :: d_step { requests[i] -> requests[i]--; printf("  a request of tap %d is lost\n", i) }
#define ENDS(i) :: d_step { AT_WORK(i) -> leave(i); printf("tap %d ends\n", i) }

/*
 * A day passes since the first request in a slot: keys are forgotten, requests have arrived or are lost, and owners see by the
 * ledger's clock that they can send no more (rule "clock").
 */
#ifdef UNBOUNDED
#define DRAINS(x, q)
#else
#define DRAINS(x, q) if :: requests[x] && key_of[x] / 2 == q -> requests[x] = 0 :: else fi;
#endif
#ifdef BREAK_CLOCK
#define STOPS(x, q)
#else
#define STOPS(x, q) if :: AT_WORK(x) && (record_of[x] == NONE || slot[record_of[x]] == q) -> leave(x) :: else fi
#endif
#define IS_USED(x, q) (count > x && slot[x] == q && sent[x])
#define DAY(q) \
    :: d_step { !old[q] && (kept[2 * q] || kept[2 * q + 1] || payment[2 * q] || \
        IS_USED(0, q) || IS_USED(1, q) || IS_USED(2, q)) -> \
        old[q] = 1; kept[2 * q] = 0; kept[2 * q + 1] = 0; kept_payment[2 * q] = 0; kept_payment[2 * q + 1] = 0; \
        for (x : 0 .. TAPS - 1) { DRAINS(x, q) STOPS(x, q) }; \
        x = 0; printf("  a day passes for slot %d\n", q) }

/* --- Everybody else: questions, messages, and what was claimed by an owner that is silent. */

/* Rule "foreign": another channel's refusal proves nothing. */
#ifdef BREAK_FOREIGN
#define HEARS_FOREIGN_REFUSAL(q) \
    if \
    :: q == 0 && foreign == DECLINED && !CAPTURED_IN(q) && k != NONE && state[k] == open -> \
        state[k] = refused; printf("a foreign refusal ends record %d\n", k) \
    :: else \
    fi;
#else
#define HEARS_FOREIGN_REFUSAL(q)
#endif
/* Rules "bare reference" and "alarm": foreign money is asked for, and stored until a person explains it. */
#ifdef BREAK_BARE_REFERENCE
#define HEARS_FOREIGN_MONEY
#elif defined(BREAK_ALARM)
#define HEARS_FOREIGN_MONEY \
    if \
    :: k != NONE && state[k] == paid -> alarm = 0 \
    :: k != NONE && state[k] != paid && foreign == CAPTURED -> alarm = 1 \
    :: else \
    fi;
#else
#define HEARS_FOREIGN_MONEY \
    if \
    :: foreign == CAPTURED && alarm == 0 && !adopted -> alarm = 1 \
    :: else \
    fi;
#endif
#define ASKS(q) \
    :: d_step { CAN_ASK && count > 0 -> \
        if :: payment[2 * q] == CAPTURED -> hearMoney(q, 2 * q + 1) :: else fi; \
        if :: payment[2 * q + 1] == CAPTURED -> hearMoney(q, 2 * q + 2) :: else fi; \
        if :: !CAPTURED_IN(q) && payment[2 * q] == DECLINED -> hearDecline(q, 2 * q + 1, NONE) :: else fi; \
        if :: !CAPTURED_IN(q) && payment[2 * q + 1] == DECLINED -> hearDecline(q, 2 * q + 2, NONE) :: else fi; \
        lastOf(q); \
        HEARS_FOREIGN_REFUSAL(q) \
        HEARS_FOREIGN_MONEY \
        if \
        :: foreign == CAPTURED && k != NONE && state[k] == paid && alarm == 0 -> fail(alarm_lost) \
        :: else \
        fi; \
        k = 0 }

#define TELLS(m) \
    :: d_step { payment[m] == CAPTURED && count > 0 -> s = m / 2; hearMoney(s, m + 1); s = 0 } \
    :: d_step { payment[m] == DECLINED && count > 0 -> s = m / 2; hearDecline(s, m + 1, NONE); s = 0 }

#define IS_SILENT(a) \
    :: d_step { count > a && state[a] == claimed -> state[a] = released; printf("record %d is released\n", a) }

/* --- A person, who sees the gateway's books. Rule "named": a declined payment is named, so that its messages are about it alone. */
#ifdef BREAK_PERSON_KEEPS_SLOT
#define AFTER_WORD refused
#else
#define AFTER_WORD given_up
#endif
#define IS_FREE(number) (payment_of[0] != number && payment_of[1] != number && payment_of[2] != number)
inline decide() {
    deciding();
    if
    :: k != NONE && (state[k] == open || state[k] == given_up) && !CAPTURED_IN(slot[k]) && PERSON_MAY(k) ->
        s = slot[k];
        p = (payment[2 * s] == DECLINED && IS_FREE(2 * s + 1) -> 2 * s + 1 :
            (payment[2 * s + 1] == DECLINED && IS_FREE(2 * s + 2) -> 2 * s + 2 : 0));
        in_key_time[k] = !old[s] && !ONE_PAYMENT_PER_SLOT;
        if
#ifndef BREAK_NAMED
        :: p && !payment_of[k] -> state[k] = refused; payment_of[k] = p
#endif
        :: else -> state[k] = AFTER_WORD
        fi;
        printf("a person gives record %d up\n", k)
    :: k == NONE && restored && !CAN_ASK && count == 0 && alarm == 0 && MAY_ASK ->
        firstEmpty();
        count = 1; owner_of[0] = NONE;
        if
        :: s == NONE -> state[0] = paid
        :: else -> state[0] = given_up; slot[0] = s; old[s] = 1
        fi;
        printf("a person makes a record after the restore\n")
    :: else
    fi;
    k = 0; s = 0; p = 0
}

/* --- The property at rest: a record is true, and the order is paid or can be paid, if need be with a person's word. */
#define CAN_GO_ON(k) (state[k] == refused || state[k] == claimed || \
    state[k] == released && MAY_REUSE(slot[k]) || \
    state[k] == rejected && (KEEPS_REFUSALS || MAY_REUSE(slot[k])) || \
    state[k] == given_up && DECISION_HOLDS(k) && MAY_REUSE(slot[k]) || \
    (state[k] == open || state[k] == given_up) && PERSON_MAY(k) && MAY_REUSE(slot[k]))
#define RESTS(i) (tap[i] == idle || tap[i] == gone)

active proctype World() {
    do
    EACH(BEGINS) EACH(COUNTS) EACH(RELEASES) EACH(SENDS) EACH(REPEATS) EACH(HEARS)
    EACH(ARRIVES_CAPTURED) EACH(ARRIVES_DECLINED) EACH(ARRIVES_REJECTED)
#ifdef BREAK_OWN_ERRORS
    EACH(PROXY_ANSWERS)
#endif
    EACH(DAY) EACH(ASKS) EACH(IS_SILENT)
    TELLS(0) TELLS(1) TELLS(2) TELLS(3) TELLS(4) TELLS(5)
    :: d_step { count > 0 || restored -> decide() }
#ifdef FOREIGN
    :: d_step { foreign == 0 -> foreign = DECLINED; printf("  another channel: declined\n") }
    :: d_step { foreign == 0 -> foreign = CAPTURED; printf("  another channel: captured\n") }
    :: d_step { alarm == 1 && foreign == CAPTURED && !OWN_MONEY ->
        alarm = 0; adopted = 1; printf("a person adopts the foreign payment\n") }
    :: d_step { alarm == 1 && foreign == CAPTURED ->
        alarm = 0; foreign = DECLINED; printf("the foreign payment is given back\n") }
#endif
#ifdef RESTORE
    /* Only here it matters when an owner ends and a request is lost. */
    EACH(ENDS) EACH(IS_LOST_REQUEST)
    :: d_step { !restored && count > 0 ->
        restored = 1; alarm = 0; adopted = 0; count = 0;
        for (x : 0 .. TAPS - 1) {
            /* A write of before fails; what was stored as `sending` can still be sent. */
            if
            :: tap[x] == claiming -> leave(x)
            :: tap[x] == ready -> key_of[x] = 2 * slot[record_of[x]] + generation[record_of[x]]; record_of[x] = NONE
            :: tap[x] == waiting -> record_of[x] = NONE
            :: else
            fi
        };
        for (x : 0 .. TAPS - 1) {
            state[x] = absent; slot[x] = 0; generation[x] = 0; sent[x] = 0; answered[x] = 0; payment_of[x] = 0;
            owner_of[x] = 0; in_key_time[x] = 0
        };
        x = 0; printf("the ledger is restored\n") }
#endif
    :: d_step { RESTS(0) && RESTS(1) && RESTS(2) && NOTHING_UNDER_WAY ->
        deciding();
        if
        :: k != NONE && state[k] == paid && !OWN_MONEY -> fail(paid_without_money)
        :: k != NONE && state[k] == paid && payment_of[k] && adopted && alarm == 0 -> fail(alarm_lost)
        :: k != NONE && !OWN_MONEY && foreign == 0 && old[slot[k]] && !CAN_GO_ON(k) -> fail(dead_order)
        :: else
        fi;
        k = 0 }
    od
}
