import ApplePayTokenTestingPrimitives
import FoundationEssentials

extension VectorBook {
    /// Adds signers without a valid chain of Apple's certificates.
    func addChains() throws {
        try addMarkers()
        try addForeignRoots()
        try addOtherSigners()
        try addIdentifiers()
        try addValidity()
    }

    private func addMarkers() throws {
        try reject("chain/leaf-no-marker", "the leaf lacks its marker", at: .chain) {
            $0.chain.leaf.removeExtension(.signerMarker)
        }
        try reject(
            "chain/rsa-leaf-no-marker", "the leaf lacks its marker", at: .chain, version: .rsa
        ) {
            $0.chain.leaf.removeExtension(.signerMarker)
        }
        try reject("chain/marker-on-bystander", "only an unused leaf has the marker", at: .chain) {
            $0.chain.leaf.removeExtension(.signerMarker)
            $0.chain.leaf.key = try pki.ecKey("unmarked", .p256)
            $0.chain.leaf.serialNumber = [0x42, 0x01]
            $0.cms.certificates?.append(.other(try pki.chain(.ec).issued().leaf))
        }
        try reject("chain/intermediate-no-marker", "the intermediate lacks its marker", at: .chain)
        {
            $0.chain.intermediate.removeExtension(.intermediateMarker)
        }
        try reject("chain/markers-swapped", "each has the other's marker", at: .chain) {
            $0.chain.leaf.removeExtension(.signerMarker)
            $0.chain.leaf.extensions.append(.marker(.intermediateMarker))
            $0.chain.intermediate.removeExtension(.intermediateMarker)
            $0.chain.intermediate.extensions.append(.marker(.signerMarker))
        }
        for (name, marker) in [
            ("neighbour", OID("1.2.840.113635.100.6.30")), ("shorter", "1.2.840.113635.100.6"),
            ("longer", "1.2.840.113635.100.6.29.1"),
        ] {
            try reject("chain/leaf-marker-\(name)", "the marker is \(marker.text)", at: .chain) {
                $0.chain.leaf.removeExtension(.signerMarker)
                $0.chain.leaf.extensions.append(.marker(marker))
            }
        }
        try either("chain/leaf-both-markers", "the leaf has both markers", at: .chain) {
            $0.chain.leaf.extensions.append(.marker(.intermediateMarker))
        }
    }

    private func addForeignRoots() throws {
        let impostor = try pki.rootCredential(key: try pki.ecKey("impostor", .p384))
        try reject("chain/root-of-same-name", "another root of the same name", at: .chain) {
            $0.chain.root = impostor
        }
        try reject("chain/root-of-same-name-sent", "and it travels along", at: .chain) {
            $0.chain.root = impostor
            $0.cms.certificates?.append(.root)
        }
        try reject("chain/both-roots-sent", "and the genuine root travels, too", at: .chain) {
            $0.chain.root = impostor
            $0.cms.certificates?.append(.root)
            $0.cms.certificates?.append(.other(try pki.root.certificate))
        }
        let other = TestPKI(seed: "another world")
        try reject("chain/other-world", "everything by another mint", at: .chain) {
            $0.chain = try other.chain(.ec)
        }
        try reject("chain/root-on-other-curve", "a P-256 root of the same name", at: .chain) {
            $0.chain.root = try pki.rootCredential(key: try pki.ecKey("impostor", .p256))
        }
    }

    private func addOtherSigners() throws {
        let genuine = try pki.chain(.ec)
        let key = try pki.ecKey("self-signed", .p256)
        var selfSigned = try pki.leafRecipe(.ec, issuer: genuine.intermediate.subject)
        selfSigned.key = key
        selfSigned.serialNumber = [0x42, 0x02]
        selfSigned.issuer = selfSigned.subject
        let certificate = try selfSigned.issued(by: key)
        for place in ["first", "last"] {
            try reject(
                "chain/self-signed-\(place)", "a self-signed signer beside the genuine ones",
                at: .chain
            ) {
                $0.cms.signer.key = key
                $0.cms.signer.identifier = .certificate(.other(certificate))
                $0.cms.certificates?.insert(.other(certificate), at: place == "first" ? 0 : 2)
            }
        }
        selfSigned.issuer = genuine.intermediate.subject
        let claimant = try selfSigned.issued(by: key)
        try reject("chain/claims-issuer", "self-signed, naming the intermediate", at: .chain) {
            $0.cms.signer.key = key
            $0.cms.signer.identifier = .certificate(.other(claimant))
            $0.cms.certificates?.append(.other(claimant))
        }
        selfSigned.serialNumber = genuine.leaf.serialNumber
        let twin = try selfSigned.issued(by: key)
        for place in ["first", "last"] {
            try reject(
                "chain/twin-\(place)", "a false signer with the leaf's issuer and serial number",
                at: .cms, .chain, .signature
            ) {
                $0.cms.signer.key = key
                $0.cms.certificates?.insert(.other(twin), at: place == "first" ? 0 : 2)
            }
        }
        let merchant = try pki.merchant("one").credential
        try reject("chain/merchant-signs", "a merchant's certificate as signer", at: .chain) {
            $0.cms.signer.key = merchant.key
            $0.cms.signer.identifier = .certificate(.other(merchant.certificate))
            $0.cms.certificates = [
                .other(merchant.certificate), .other(try pki.processingAuthority.certificate),
            ]
        }
        try reject("chain/merchant-signs-beside", "and the genuine ones besides", at: .chain) {
            $0.cms.signer.key = merchant.key
            $0.cms.signer.identifier = .certificate(.other(merchant.certificate))
            $0.cms.certificates? += [
                .other(merchant.certificate), .other(try pki.processingAuthority.certificate),
            ]
        }
        try reject("chain/intermediate-signs", "the intermediate as signer", at: .chain) {
            $0.cms.signer.key = genuine.intermediate.key
            $0.cms.signer.identifier = .certificate(.intermediate)
        }
        try reject("chain/intermediate-signs-marked", "with the leaf's marker", at: .chain) {
            $0.chain.intermediate.extensions.append(.marker(.signerMarker))
            $0.cms.signer.key = genuine.intermediate.key
            $0.cms.signer.identifier = .certificate(.intermediate)
        }
        try reject("chain/root-signs", "the root as signer", at: .chain, .cms) {
            $0.cms.signer.key = genuine.root.key
            $0.cms.signer.identifier = .certificate(.root)
            $0.cms.certificates?.append(.root)
        }
    }

    private func addIdentifiers() throws {
        let leaf = try pki.chain(.ec).leaf
        try reject("chain/signer-serial", "the signer has another serial number", at: .chain) {
            $0.cms.signer.identifier = .issuerAndSerialNumber(leaf.issuer, [0x42, 0x03])
        }
        try reject("chain/signer-issuer", "the signer has another issuer", at: .chain) {
            var issuer = leaf.issuer
            issuer.commonName = "Mint Application Integration CA - G4"
            $0.cms.signer.identifier = .issuerAndSerialNumber(issuer, leaf.serialNumber)
        }
        try reject("chain/leaf-absent", "the leaf does not travel", at: .chain) {
            $0.cms.certificates = [.intermediate]
        }
        try reject("chain/intermediate-absent", "the intermediate does not travel", at: .chain) {
            $0.cms.certificates = [.leaf]
        }
    }

    private func addValidity() throws {
        let time = TestPKI.signingTime
        try reject("chain/leaf-ended", "the leaf ended a second before signing", at: .chain) {
            $0.chain.leaf.notAfter = $0.signingTime - 1
        }
        try reject("chain/leaf-not-begun", "the leaf begins a second after signing", at: .chain) {
            $0.chain.leaf.notBefore = time + 1
        }
        try reject("chain/rsa-leaf-ended", "ended before signing", at: .chain, version: .rsa) {
            $0.chain.leaf.notAfter = time - 1
        }
        try reject("chain/intermediate-ended", "the intermediate ended", at: .chain) {
            $0.chain.intermediate.notAfter = time - 1
        }
        try reject("chain/intermediate-not-begun", "the intermediate has not begun", at: .chain) {
            $0.chain.intermediate.notBefore = time + 1
        }
    }
}
