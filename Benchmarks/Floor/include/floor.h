// The minimum cost of libcrypto for one token: the same operations as the pipeline's, with
// contexts that are created once.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct Floor Floor;

/// Creates the contexts for one signer's key and one merchant's key; returns NULL if libcrypto
/// refuses a key.
/// signer_spki: DER of the signer's public key; merchant_key: DER (PKCS#8) of the merchant's
/// private key.
Floor *_Nullable Floor_new(const uint8_t *_Nonnull signer_spki, size_t signer_spki_count,
                           const uint8_t *_Nonnull merchant_key, size_t merchant_key_count, int is_rsa);
void Floor_free(Floor *_Nullable floor);

/// Each function returns 1 for success.
int Floor_sha256(Floor *_Nonnull floor, const uint8_t *_Nonnull bytes, size_t count, uint8_t *_Nonnull digest);
int Floor_verify(Floor *_Nonnull floor, const uint8_t *_Nonnull digest, const uint8_t *_Nonnull signature, size_t count);
int Floor_derive(Floor *_Nonnull floor, const uint8_t *_Nonnull point, uint8_t *_Nonnull secret);
int Floor_unwrap(Floor *_Nonnull floor, const uint8_t *_Nonnull wrapped, size_t count, uint8_t *_Nonnull key, size_t key_count);
int Floor_open(Floor *_Nonnull floor, const uint8_t *_Nonnull key, size_t key_count, const uint8_t *_Nonnull data, size_t count,
               uint8_t *_Nonnull plaintext);

/// The verification of a certificate's signature, over a digest that is computed beforehand. A
/// chain that is not cached needs two.
typedef struct FloorCertificate FloorCertificate;
FloorCertificate *_Nullable FloorCertificate_new(const uint8_t *_Nonnull der, size_t count,
                                                 const uint8_t *_Nonnull issuer, size_t issuer_count);
int FloorCertificate_verify(FloorCertificate *_Nonnull certificate);

/// Reads a certificate and its key.
int Floor_parse_certificate(const uint8_t *_Nonnull der, size_t count);

/// Performs the same steps as most programs do: everything is read, fetched and created for each
/// token. Returns 1 if CMS_verify accepts the detached signature over the message, with the given
/// root and time.
int Floor_plain_verify(const uint8_t *_Nonnull cms, size_t cms_count, const uint8_t *_Nonnull message, size_t message_count,
                       const uint8_t *_Nonnull root, size_t root_count, int64_t time);
/// Returns the number of plaintext bytes, or 0.
size_t Floor_plain_open(const uint8_t *_Nonnull key, size_t key_count, const uint8_t *_Nonnull spki, size_t spki_count,
                        const uint8_t *_Nonnull merchant_hash, const uint8_t *_Nonnull data, size_t count,
                        uint8_t *_Nonnull plaintext);

/// Returns the number of heap allocations that this thread has made since it started.
uint64_t Floor_allocations(void);

/// Runs a command to its end and discards its output; returns the wall-clock time in nanoseconds,
/// or 0 if it failed.
uint64_t Floor_run(char *const _Nullable *_Nonnull words);

/// Returns the peak resident memory of the commands that Floor_run ran, in KiB.
long Floor_run_peak(void);

/// Returns the resident memory of this process, in KiB.
long Floor_resident(void);

/// Returns nanoseconds of the monotonic clock.
uint64_t Floor_now(void);

/// Returns the CPU time of this thread in nanoseconds.
uint64_t Floor_thread_now(void);

/// Returns the CPU time of this process in nanoseconds.
uint64_t Floor_process_now(void);
