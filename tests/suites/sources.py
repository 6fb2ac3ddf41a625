"""Debian's source packages of the suites, fetched and unpacked in part. Nothing of them lies in this repository."""
import hashlib
import os
import subprocess
import urllib.request

MIRROR = "http://deb.debian.org/debian/pool/main/"

# name: (file in the pool, its SHA-256, command that writes its tar to standard output, what to unpack)
PACKAGES = {
    "glibc": ("g/glibc/glibc_2.36.orig.tar.xz",
              "a543c02070d46ccaf866957efd13f10c924daa74c86a90a0254db09a92a708ee",
              "xz -dc {file}", ["*/nptl", "*/sysdeps/pthread", "*/sysdeps/x86_64/stackinfo.h", "*/support",
                                "*/sysdeps/x86/tst-stack-align.h", "*/tst-skeleton-thread-affinity.c",
                                "*/posix/tst-vfork[12].c", "*/elf/tst-unwind-main.c", "*/test-skeleton.c", "*/include"]),
    "libstdc++": ("g/gcc-12/gcc-12_12.2.0.orig.tar.gz",
                  "b8298be16aeeb96a889c6afed0a8e2241b47452e89cc81fe65ea849d5c740fcb",
                  "tar xzOf {file} gcc-12-12.2.0/gcc-12.2.0-dfsg.tar.xz | xz -dc", ["*/libstdc++-v3/testsuite"]),
    "libc++": ("l/llvm-toolchain-19/llvm-toolchain-19_19.1.7.orig.tar.xz",
               "ae498f3bc58ae2d9f64ef5f0c035c4240152bf015a5b7738b15c22e93bdc97ce",
               "xz -dc {file}", ["*/libcxx/test/std/thread", "*/libcxx/test/std/atomics", "*/libcxx/test/support"]),
    "posix": ("p/posixtestsuite/posixtestsuite_1.5.2.orig.tar.gz",
              "15a2185672127cba851d35ec9d538ff6148defdbb75f99c7e9c50aeba0f94757",
              "gzip -dc {file}", ["*"]),
}


def fetched(package, work):
    """The folder of `package` below `work`; fetches and unpacks it if it is not there yet."""
    path, digest, tar, parts = PACKAGES[package]
    folder = os.path.join(work, "sources", package)
    if os.path.isdir(folder):
        return folder
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    file = os.path.join(work, "sources", os.path.basename(path))
    if not os.path.exists(file):
        print(f"fetching {MIRROR + path}", flush=True)
        urllib.request.urlretrieve(MIRROR + path, file + ".part")
        os.rename(file + ".part", file)
    with open(file, "rb") as data:
        found = hashlib.file_digest(data, "sha256").hexdigest()
    if found != digest:
        raise SystemExit(f"{file}: SHA-256 {found}, expected {digest}. Remove it and try again.")
    partial = folder + ".part"
    os.makedirs(partial, exist_ok=True)
    unpack = ["tar", "x", "-C", partial, "--strip-components=1", "--wildcards", *parts]
    with subprocess.Popen(tar.format(file=file), shell=True, stdout=subprocess.PIPE) as stream:
        subprocess.run(unpack, stdin=stream.stdout, check=True)
    os.rename(partial, folder)
    return folder
