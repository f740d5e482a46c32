// What libcrypto alone must cost for one token: the same operations as the road's, each with contexts that are made once.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct Floor Floor;

/// The contexts for one signer's key and one merchant's key; NULL when libcrypto refuses.
/// signer_spki: DER of the signer's public key; merchant_key: DER (PKCS#8) of the merchant's private key.
Floor *_Nullable Floor_new(const uint8_t *_Nonnull signer_spki, size_t signer_spki_count,
                           const uint8_t *_Nonnull merchant_key, size_t merchant_key_count, int is_rsa);
void Floor_free(Floor *_Nullable floor);

/// Each gives 1 for success.
int Floor_sha256(Floor *_Nonnull floor, const uint8_t *_Nonnull bytes, size_t count, uint8_t *_Nonnull digest);
int Floor_verify(Floor *_Nonnull floor, const uint8_t *_Nonnull digest, const uint8_t *_Nonnull signature, size_t count);
int Floor_derive(Floor *_Nonnull floor, const uint8_t *_Nonnull point, uint8_t *_Nonnull secret);
int Floor_unwrap(Floor *_Nonnull floor, const uint8_t *_Nonnull wrapped, size_t count, uint8_t *_Nonnull key, size_t key_count);
int Floor_open(Floor *_Nonnull floor, const uint8_t *_Nonnull key, size_t key_count, const uint8_t *_Nonnull data, size_t count,
               uint8_t *_Nonnull plaintext);

/// The verification of a certificate's signature, which a chain needs for each of its two when it is not remembered; what is signed is
/// hashed beforehand.
typedef struct FloorCertificate FloorCertificate;
FloorCertificate *_Nullable FloorCertificate_new(const uint8_t *_Nonnull der, size_t count,
                                                 const uint8_t *_Nonnull issuer, size_t issuer_count);
int FloorCertificate_verify(FloorCertificate *_Nonnull certificate);

/// Reading a certificate and the key in it.
int Floor_parse_certificate(const uint8_t *_Nonnull der, size_t count);

/// The same steps as most programs take them: everything is read, fetched and built for each token.
/// Gives 1 when CMS_verify accepts the detached signature over the message, the root trusted and the time stated.
int Floor_plain_verify(const uint8_t *_Nonnull cms, size_t cms_count, const uint8_t *_Nonnull message, size_t message_count,
                       const uint8_t *_Nonnull root, size_t root_count, int64_t time);
/// Gives the count of plaintext bytes, or 0.
size_t Floor_plain_open(const uint8_t *_Nonnull key, size_t key_count, const uint8_t *_Nonnull spki, size_t spki_count,
                        const uint8_t *_Nonnull merchant_hash, const uint8_t *_Nonnull data, size_t count,
                        uint8_t *_Nonnull plaintext);

/// The heap allocations this thread has made since it began.
uint64_t Floor_allocations(void);

/// Runs a command to its end, its output thrown away; the wall-clock nanoseconds it took, or 0 when it failed.
uint64_t Floor_run(char *const _Nullable *_Nonnull words);

/// The most memory that a command run by Floor_run has had resident, in KiB.
long Floor_run_peak(void);

/// The resident memory of this process, in KiB.
long Floor_resident(void);

/// Nanoseconds of the monotonic clock.
uint64_t Floor_now(void);

/// Nanoseconds that this thread has been running, whatever else the machine was doing.
uint64_t Floor_thread_now(void);
