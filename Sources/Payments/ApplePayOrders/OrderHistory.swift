internal import ApplePayGateways
internal import ApplePayLedger
internal import ApplePayToken
internal import FoundationEssentials

/// The attempts to pay one order, in the order in which they began.
struct OrderHistory {
    /// The attempts.
    let records: [OrderRecord]

    /// The last attempt, after which another one may begin.
    var last: OrderRecord? { records.last }

    /// The attempt that decides about the order's state: the one that can pay it or pays it, otherwise the last one that was
    /// not released; nil if there is none.
    var deciding: OrderRecord? {
        records.last(where: \.state.isLive) ?? records.last { $0.state != .released }
    }

    /// An attempt for which the gateway reported money after it had ended without it.
    var lateCharge: OrderRecord? { records.last { $0.contents.hasLateCharge } }

    /// Returns whether an order is the one that was attempted before.
    func isOf(_ order: Order, at gateway: any PaymentGateway) -> Bool {
        records.allSatisfy { $0.attempt.isOf(order) && $0.isAt(gateway) }
    }

    /// The slot of the next attempt.
    var nextSlot: Int {
        guard let last else { return 1 }
        return last.hasLeftSlot ? last.attempt.slot + 1 : last.attempt.slot
    }

    /// When the first attempt began that may have sent something in the next slot; nil if there is none.
    ///
    /// The first answer for the slot's key may then be an old one.
    var nextSlotBeginning: Date? {
        records.first { $0.attempt.slot == nextSlot && $0.state != .released }?.row.beginning
    }

    /// The last attempt in the next slot that a person gave up; nil if there is none.
    var givenUpInNextSlot: OrderRecord? {
        records.last { $0.attempt.slot == nextSlot && $0.state == .givenUp }
    }

    /// Returns whether an attempt is the last one in its slot that may have a payment: a report about the slot is about it.
    func isLastOfSlot(_ record: OrderRecord) -> Bool {
        let last = records.last { $0.attempt.slot == record.attempt.slot && $0.mayHavePayment }
        return (last ?? record).row.serial == record.row.serial
    }

    /// Returns whether an attempt is the last one in its page or session that may have a payment; false without either.
    func isLastInSession(_ record: OrderRecord) -> Bool {
        guard let session = record.attempt.sessionID else { return false }
        let last = records.last {
            $0.attempt.sessionID.map { $0.utf8.elementsEqual(session.utf8) } == true
                && $0.mayHavePayment
        }
        return (last ?? record).row.serial == record.row.serial
    }
}
