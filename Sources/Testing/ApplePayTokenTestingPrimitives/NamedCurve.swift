internal import CApplePayOpenSSL

/// A prime curve of SEC 2 that Apple's certificates and tokens use.
package enum NamedCurve: String, Sendable {
    case p256
    case p384

    /// The length of a coordinate and of a scalar, in bytes.
    package var byteCount: Int {
        switch self {
        case .p256: 32
        case .p384: 48
        }
    }

    /// Returns the product of the generator and `scalar`.
    ///
    /// - Returns: The point as 04 ‖ X ‖ Y (SEC 1 §2.3.3).
    func multiplyGenerator(by scalar: BigNumber) throws(TestingError) -> [UInt8] {
        let group = try CurveGroup(self)
        let result = try CurvePoint(group)
        try expectSuccess(
            unsafe EC_POINT_mul(group.pointer, result.pointer, scalar.pointer, nil, nil, nil),
            of: "EC_POINT_mul"
        )
        return try encode(result, in: group)
    }

    /// Returns the product of `point`, given as 04 ‖ X ‖ Y and on the curve, and `scalar`.
    ///
    /// - Returns: The product in the same form.
    func multiply(_ point: [UInt8], by scalar: BigNumber) throws(TestingError) -> [UInt8] {
        let group = try CurveGroup(self)
        let factor = try CurvePoint(group)
        let result = try CurvePoint(group)
        try expectSuccess(
            unsafe EC_POINT_oct2point(group.pointer, factor.pointer, point, point.count, nil),
            of: "EC_POINT_oct2point"
        )
        try expectSuccess(
            unsafe EC_POINT_mul(
                group.pointer, result.pointer, nil, factor.pointer, scalar.pointer, nil),
            of: "EC_POINT_mul"
        )
        return try encode(result, in: group)
    }

    /// Returns the order of the group that the generator generates.
    func order() throws(TestingError) -> BigNumber {
        let group = try CurveGroup(self)
        let order = try BigNumber(0)
        try expectSuccess(
            unsafe EC_GROUP_get_order(group.pointer, order.pointer, nil),
            of: "EC_GROUP_get_order"
        )
        return order
    }

    private func encode(_ point: CurvePoint, in group: CurveGroup) throws(TestingError) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: 1 + 2 * byteCount)
        let written = unsafe EC_POINT_point2oct(
            group.pointer,
            point.pointer,
            POINT_CONVERSION_UNCOMPRESSED,
            &output,
            output.count,
            nil
        )
        guard written == output.count else { throw .cryptography(function: "EC_POINT_point2oct") }
        return output
    }
}

/// The domain parameters of a curve.
@safe
private final class CurveGroup {
    let pointer: OpaquePointer

    init(_ curve: NamedCurve) throws(TestingError) {
        let identifier = curve == .p256 ? NID_X9_62_prime256v1 : NID_secp384r1
        unsafe pointer = try expectObject(
            EC_GROUP_new_by_curve_name(identifier),
            from: "EC_GROUP_new_by_curve_name"
        )
    }

    deinit {
        unsafe EC_GROUP_free(pointer)
    }
}

/// A point, which must not outlive its group.
@safe
private final class CurvePoint {
    let pointer: OpaquePointer

    init(_ group: CurveGroup) throws(TestingError) {
        unsafe pointer = try expectObject(EC_POINT_new(group.pointer), from: "EC_POINT_new")
    }

    deinit {
        unsafe EC_POINT_free(pointer)
    }
}
