internal import CApplePayOpenSSL

/// The configuration in which OpenSSL uses only algorithms of its FIPS provider.
package enum FIPSMode {
    /// Whether OpenSSL's configuration requires FIPS algorithms: `default_properties = fips=yes` (fips_module(7)).
    package static var isRequired: Bool {
        EVP_default_properties_is_fips_enabled(nil) == 1
    }

    /// Whether OpenSSL's configuration activates a FIPS provider, from which algorithms are used only if it also requires that.
    package static var isProviderActive: Bool {
        unsafe OSSL_PROVIDER_available(nil, "fips") == 1
    }
}
