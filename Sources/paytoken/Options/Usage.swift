/// What `--help` prints.
enum Usage {
    /// The gateways in two lines.
    private static let gateways: [String] = {
        let names = Gateway.allCases.map(\.rawValue)
        let half = names.count / 2
        return [names[..<half], names[half...]].map { $0.joined(separator: ", ") }
    }()

    static let overview = """
        paytoken verifies and opens Apple Pay payment tokens.

          paytoken decrypt [TOKEN] --keys PATH…   payment data as JSON, masked unless --reveal
          paytoken verify  [TOKEN]                signature, chain and signing time; needs no key, and does
                                                  not prove transactionId and applicationData: only
                                                  decrypt does
          paytoken request GATEWAY [TOKEN] --keys PATH…
                                                  the body of a gateway's request; GATEWAY is
                                                  \(gateways[0]),
                                                  \(gateways[1]);
                                                  request GATEWAY --help lists steps and options
          paytoken inspect [TOKEN]                what is inside, for people (--json for machines);
                                                  with --keys, why they open it or not
          paytoken keys list --keys PATH…         hash, merchant, kind, end and days left of each key
          paytoken keys new --out NAME            a new private key in NAME.key.pem (--kind ec or rsa)
          paytoken keys csr --key FILE --out NAME the request for its certificate in NAME.csr.pem
          paytoken keys hash FILE…                publicKeyHash of keys and certificates
          paytoken ledger init --window SECONDS --ledger LEDGER
                                                  a folder or database that remembers what was claimed
          paytoken ledger show [TXID] | confirm TXID | release TXID | prune  --ledger LEDGER
                                                  what became of a claim; forget what is too old
          paytoken conform CASES --trust-anchor ROOT.pem --keys FOLDER
                                                  verdicts for a file of test vectors

        TOKEN is a file with the token's JSON; - or nothing is standard input.

          --keys PATH             keys and certificates: a file in PEM, DER or PKCS#12, a folder of
                                  them, env:NAME or a pkcs11: URI; repeatable
          --merchant-id ID        serves EC keys without a certificate
          --device-timeout SECONDS
                                  how long an HSM may take for a token, and to load; default: 30
          --passphrase-file FILE  its first line opens what is encrypted; repeatable
          --passphrase-env NAME   the same from an environment variable
          --reveal                decrypt: show account number and cryptogram
          --at TIME               when the token was received (2026-03-01T12:00:00Z); default: now
          --max-age SECONDS       how long before that it may have been signed; default: 300
          --any-age               the token's age does not matter
          --environment NAME      refuse tokens whose signer is not of NAME: production or sandbox;
                                  by Apple's names, which Apple may change
          --hex                   the token's text is hexadecimal
          --test-trust-anchor F   trust the root certificate in F in place of Apple's; for tests
          --refuse-certificate H  refuse the certificate with this SHA-256; repeatable
          --refuse-key H          refuse all certificates for the key whose SubjectPublicKeyInfo has
                                  this SHA-256; repeatable
          --crl FILE              refuse what a certificate revocation list names; repeatable
          --amount MINOR          decrypt, request: the order's amount, compared with the token's
          --currency ALPHA3       decrypt, request: the order's currency, compared with the token's
          --application-data B64  decrypt, request: what the payment request carried, in base64
          --order FILE            decrypt, request: the whole order as JSON, in place of these three
          --ledger LEDGER         decrypt: claim the transaction, once for all; a folder, or a
                                  postgresql:// URI where PostgreSQL was built in
          --step NAME             request: another step of the gateway's flow than the payment
          --encrypted             request: hand the verified token on; the gateway opens it
          --dry-run-http          request: the whole request, its secrets and its body masked
          --batch                 decrypt, verify, request: a token a line in, an answer a line out
          --envelopes             with --batch, in place of --at, --any-age and the order's options:
                                  each line is {"id":…,"at":…,"order":{…},"token":…}, of which only
                                  token is mandatory; for request also with "reference":…
          --jobs N                threads of --batch; default: as many as there are processors
          --fail-within DAYS      keys list: exit 1 when a merchant has no certificate, for a kind of
                                  key, that outlasts so many days
          --json                  inspect, keys list: for machines
          --common-name, --email, --country
                                  keys csr: the subject, which Apple replaces
          --report                conform: a summary on standard error

        Exit: 0 done, 1 refused, 2 the command line is wrong, 3 keys, files or other means failed,
        130 SIGINT or SIGTERM ended the command.

        """
}
