internal import ApplePayKeyAgreement
internal import ApplePayMerchantKeys
internal import ApplePayPrimitives
internal import ApplePayTrust
internal import ApplePayWire

extension VerifiedToken {
    /// Decrypts the token as ``open(with:_:)`` does, but waits for a device on another thread than the caller's.
    func openWithoutBlocking(
        with keyring: MerchantKeyring,
        _ observation: TokenObservation?
    ) async throws(PaymentTokenError) -> Payment {
        do throws(PaymentTokenError) {
            let key = try key(in: keyring, observation)
            guard let threads = key.privateKey.waitingThreads else {
                return try payment(contentKey(key), observation)
            }
            observation?.begin(.decrypt)
            let result = await threads.run {
                Result { () throws(PaymentTokenError) in try plaintext(contentKey(key)) }
            }
            guard let result else {
                throw PaymentTokenError(
                    .keyUnavailable,
                    reason:
                        "too many tokens wait for the device, or the system cannot start a thread; "
                        + "check the HSM and its connection, or raise the limit on processes")
            }
            observation?.begin(.paymentData)
            return try payment(result.get())
        } catch {
            throw error.about(identity)
        }
    }
}
