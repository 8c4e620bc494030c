"""HTTPS: the certificate is the one given, and is exchanged without failing anybody."""

import http.client
import os
import re
import signal
import ssl
import subprocess
import sys
import tempfile
import warnings

from support import BINARY, Load, Service, Tap, wait_until

tap = Tap()


def make_certificate(folder, name, kind=("ec", "-pkeyopt", "ec_paramgen_curve:prime256v1")):
    """A self-signed certificate for a name and 127.0.0.1; returns its two paths."""
    paths = [os.path.join(folder, f"{name}.{suffix}") for suffix in ("pem", "key")]
    subprocess.run(["openssl", "req", "-x509", "-newkey", *kind, "-nodes", "-days", "2",
                    "-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1",
                    "-out", paths[0], "-keyout", paths[1]], check=True, capture_output=True)
    return paths


def context_for(*certificates):
    context = ssl.create_default_context()
    for certificate in certificates:
        context.load_verify_locations(certificate)
    return context


def name_shown(port, context):
    connection = http.client.HTTPSConnection("127.0.0.1", port, context=context, timeout=20)
    connection.connect()
    subject = dict(part[0] for part in connection.sock.getpeercert()["subject"])
    connection.request("GET", "/healthz")
    assert connection.getresponse().read() == b'{"status":"ok"}\n'
    connection.close()
    return subject["commonName"]


class Secure:
    """A service with a certificate of its own, which tests exchange."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        folder = self.folder.name
        self.first = make_certificate(folder, "first")
        self.second = make_certificate(folder, "second", ("rsa:2048",))
        self.current = [os.path.join(folder, f"current.{suffix}") for suffix in ("pem", "key")]
        self.use(*self.first)
        self.context = context_for(self.first[0], self.second[0])
        self.service = Service(options=("--tls-certificate", self.current[0],
                                        "--tls-key", self.current[1]))
        self.service.__enter__()
        return self

    def __exit__(self, *_):
        self.service.__exit__()
        self.folder.cleanup()

    def use(self, certificate, key):
        """Put a pair in place by rename, as renewals do."""
        for source, target in ((certificate, self.current[0]), (key, self.current[1])):
            link = target + ".new"
            os.symlink(source, link)
            os.rename(link, target)

    def reload(self, event):
        count = self.service.log().count(event)
        self.service.process.send_signal(signal.SIGHUP)
        wait_until(lambda: self.service.log().count(event) > count)


@tap.test
def the_certificate_is_the_one_given():
    with Secure() as secure:
        assert secure.service.address.startswith("https://127.0.0.1:")
        assert name_shown(secure.service.port, secure.context) == "first"


@tap.test
def versions_of_tls_before_1_2_are_refused():
    with Secure() as secure:
        for version, is_taken in ((ssl.TLSVersion.TLSv1_1, False), (ssl.TLSVersion.TLSv1_2, True),
                                  (ssl.TLSVersion.TLSv1_3, True)):
            context = context_for(secure.first[0])
            context.set_ciphers("ALL:@SECLEVEL=0")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # That they are old is the point.
                context.minimum_version = context.maximum_version = version
            try:
                assert name_shown(secure.service.port, context) == "first"
                assert is_taken, version
            except (ssl.SSLError, ConnectionError):
                assert not is_taken, version


@tap.test
def a_new_certificate_fails_no_request():
    with Secure() as secure:
        port = secure.service.port

        def judge(path, status, body):
            return None if status == 200 and len(body) > 10 else f"{path}: {status}"

        def connect():
            return http.client.HTTPSConnection("127.0.0.1", port, context=secure.context,
                                               timeout=20)

        kept = connect()
        kept.request("GET", "/healthz")
        kept.getresponse().read()
        with Load(connect, ("/models", "/gpus", "/healthz"), judge, threads=3) as load:
            for pair, name in ((secure.second, "second"), (secure.first, "first"),
                               (secure.second, "second")):
                secure.use(*pair)
                secure.reload("event=reload ")
                assert name_shown(port, secure.context) == name
        assert not load.wrong, load.wrong[:3]
        assert load.asked > 10
        kept.request("GET", "/healthz")  # Connections from before go on.
        assert kept.getresponse().read() == b'{"status":"ok"}\n'
        kept.close()


@tap.test
def a_bad_pair_is_told_and_the_old_one_shown():
    with Secure() as secure:
        secure.use(secure.second[0], secure.first[1])
        secure.reload("event=reload_failed")
        assert "current.key is not the key of" in secure.service.log()
        assert name_shown(secure.service.port, secure.context) == "first"
        with open(secure.first[1], "w", encoding="ascii") as file:
            file.write("-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n")
        secure.reload("event=reload_failed")
        assert name_shown(secure.service.port, secure.context) == "first"


@tap.test
def nothing_of_a_key_is_ever_logged():
    with Secure() as secure:
        with open(secure.first[1], encoding="ascii") as file:
            lines = [line for line in file.read().splitlines() if not line.startswith("-")]
        secure.reload("event=reload ")
        secure.use(secure.first[1], secure.first[1])  # The key where the certificate should be.
        secure.reload("event=reload_failed")
        log = secure.service.log()
        body = b"".join(
            subprocess.run(["curl", "-sk", f"{secure.service.address}{path}"], check=True,
                           capture_output=True).stdout for path in ("/", "/metrics", "/version"))
        for line in lines:
            assert line not in log and line.encode() not in body


@tap.test
def a_start_that_cannot_work_says_why():
    with tempfile.TemporaryDirectory() as folder:
        first, second = (make_certificate(folder, name) for name in ("first", "second"))
        for options, status, text in (
                (["--tls-certificate", first[0]], 64, "go together"),
                (["--tls-certificate", first[0], "--tls-key", second[1]], 64, "is not the key of"),
                (["--tls-certificate", first[1], "--tls-key", first[1]], 64, "first.key: "),
                (["--tls-certificate", "/nowhere", "--tls-key", first[1]], 66, "/nowhere")):
            done = subprocess.run([BINARY, "serve", "--db", os.path.join(folder, "x.db"),
                                   *options], capture_output=True, text=True, check=False)
            assert done.returncode == status, done
            assert re.search(text, done.stderr), (text, done.stderr)


@tap.test
def plain_http_is_not_answered():
    with Secure() as secure:
        connection = http.client.HTTPConnection("127.0.0.1", secure.service.port, timeout=20)
        try:
            connection.request("GET", "/healthz")
            connection.getresponse()
            raise AssertionError("plain HTTP was answered")
        except (http.client.HTTPException, ConnectionError):
            pass
        assert name_shown(secure.service.port, secure.context) == "first"


if __name__ == "__main__":
    sys.exit(tap.run())
