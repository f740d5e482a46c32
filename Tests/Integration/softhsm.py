"""A token in SoftHSM2 with keys for TLS, for https.py and session.py; needs softhsm2 and opensc."""
import os
import pathlib
import subprocess
import sys


def soft_token(folder, keys):
    """Makes the token `shop` in a folder with private keys, and sets SOFTHSM2_CONF for it.

    `keys` has for each name the file of the key, and the file of its certificate or None. Returns the URI of each key.
    """
    module = next((path for path in map(pathlib.Path, [
        "/usr/lib/softhsm/libsofthsm2.so", *pathlib.Path("/usr/lib").glob("*/softhsm/libsofthsm2.so"),
        "/usr/lib64/pkcs11/libsofthsm2.so"]) if path.exists()), None)
    if module is None:
        sys.exit("softhsm2 and opensc are missing, which make integration-test installs")
    folder = pathlib.Path(folder)
    (folder / "tokens").mkdir()
    (folder / "softhsm2.conf").write_text(f"directories.tokendir = {folder}/tokens\nobjectstore.backend = file\n")
    (folder / "pin").write_text("24680\n")
    os.environ["SOFTHSM2_CONF"] = str(folder / "softhsm2.conf")

    def run(*words):
        subprocess.run(words, check=True, capture_output=True)

    def write(kind, name, number, *options):
        run("pkcs11-tool", "--module", module, "--token-label", "shop", "--login", "--pin", "24680", "--write-object",
            folder / "object.der", "--type", kind, "--label", name, "--id", number, *options)
    run("softhsm2-util", "--init-token", "--free", "--label", "shop", "--so-pin", "97531", "--pin", "24680")
    for number, (name, (key, certificate)) in enumerate(keys.items(), 1):
        number = f"{number:02}"
        words = ["openssl", "pkey", "-in", key, "-outform", "der", "-out", folder / "object.der"]
        run(*words)
        write("privkey", name, number, "--usage-sign")
        run(*words, "-pubout")
        write("pubkey", name, number)
        if certificate:
            run("openssl", "x509", "-in", certificate, "-outform", "der", "-out", folder / "object.der")
            write("cert", name, number)
    return {name: f"pkcs11:token=shop;object={name}?module-path={module}&pin-source={folder}/pin" for name in keys}
