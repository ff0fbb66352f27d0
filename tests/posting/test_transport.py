"""One question over HTTP: what is tried again, what is refused, and that the key stays hidden."""

import logging
import pickle
import sys
import threading
import traceback
from collections.abc import Iterator

import httpx2
import pytest

from packhorse.errors import ConfigError, CountingError, MissingExtraError, MissingKeyError
from packhorse.posting.secret import Secret, required_key
from packhorse.posting.transport import LOGGERS, Limits, Transport
from tests.posting.servers import KEY, QUICK, Reply, Served, ok

SECRET = Secret(KEY, "TEST_KEY")


class Waits:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def clock(self) -> float:
        return self.now


@pytest.fixture
def waits() -> Waits:
    return Waits()


@pytest.fixture
def transport(server: Served, waits: Waits) -> Iterator[Transport]:
    with Transport(
        server.url, key=SECRET, limits=QUICK, sleep=waits.sleep, clock=waits.clock
    ) as made:
        yield made


def failure(transport: Transport) -> CountingError:
    with pytest.raises(CountingError) as caught:
        transport.post("/count", {"text": "x"})
    return caught.value


def test_the_answer_comes_back_and_the_key_was_in_its_header(
    transport: Transport, server: Served
) -> None:
    server.script = [ok(tokens=3)]
    assert transport.post("/count", {"text": "x\ud800"}) == {"tokens": 3}
    path, headers, body = server.asked[0]
    assert (path, body) == ("/count", {"text": "x\ufffd"})
    assert headers["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504, 529])
def test_a_passing_fault_is_tried_again_with_doubling_delays(
    transport: Transport, server: Served, waits: Waits, status: int
) -> None:
    server.script = [Reply(status=status), Reply(status=status), ok(tokens=3)]
    assert transport.post("/count", {}) == {"tokens": 3}
    assert waits.slept == [0.001, 0.002]


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"Retry-After": "2"}, 2.0),
        ({"Retry-After": "1.5"}, 1.5),
        ({"retry-after-ms": "250"}, 0.25),
        ({"Retry-After": "Wed, 02 Dec 2026 10:00:03 GMT"}, 3.0),
        ({"Retry-After": "soon"}, 0.001),
        ({"retry-after-ms": "soon"}, 0.001),
        ({"retry-after-ms": "inf"}, 0.001),
        ({"Retry-After": "9" * 400}, 0.001),
        ({"Retry-After": "Wed, 02 Dec 99999999999 10:00:03 GMT"}, 0.001),
    ],
)
def test_a_rate_limit_is_waited_out_as_the_server_asks(
    server: Served, waits: Waits, headers: dict[str, str], wait: float
) -> None:
    dated = {"Date": "Wed, 02 Dec 2026 10:00:00 GMT", **headers}
    server.script = [Reply(status=429, headers=dated), ok(tokens=3)]
    with Transport(server.url, limits=QUICK, sleep=waits.sleep, clock=waits.clock) as transport:
        assert transport.post("/count", {}) == {"tokens": 3}
    assert waits.slept == [wait]


def test_a_wait_beyond_the_deadline_is_not_begun(
    transport: Transport, server: Served, waits: Waits
) -> None:
    server.script = [Reply(status=429, headers={"Retry-After": "60"})]
    error = failure(transport)
    assert "429 Too Many Requests, after 1 try" in error.message
    assert "Try again in 60 s" in error.hint
    assert waits.slept == []


def test_it_gives_up_after_the_last_try(transport: Transport, server: Served) -> None:
    server.script = [Reply(status=500)] * 9
    assert "500 Internal Server Error, after 3 tries" in failure(transport).message
    assert len(server.asked) == 3


def test_a_slow_answer_is_given_up(server: Served) -> None:
    server.hold = threading.Event()
    limits = Limits(timeout_s=0.02, tries=2, first_delay_s=0.0)
    with Transport(server.url, limits=limits) as transport:
        assert "did not answer within 0.02 s, after 2 tries" in failure(transport).message


def test_an_answer_that_drips_past_the_deadline_is_given_up(server: Served) -> None:
    times = iter([0.0, 0.0, 99.0])
    server.script = [Reply(payload=b"[" * 100)]
    with Transport(server.url, limits=QUICK, clock=lambda: next(times)) as transport:
        assert "answered with nothing whole in 5 s" in failure(transport).message


def test_nobody_there_is_tried_again_and_then_said(waits: Waits) -> None:
    with Transport("http://127.0.0.1:1", limits=QUICK, sleep=waits.sleep) as transport:
        error = failure(transport)
    assert "cannot be reached (ConnectError), after 3 tries" in error.message
    assert error.hint.startswith("Check that the server runs, and its host and port, or ")
    assert len(waits.slept) == 2


JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Reply(payload=b"{"), "no JSON"),
        (Reply(payload=b"\xff\xfe"), "no JSON"),
        (Reply(payload=b"[" * 5000), "no JSON"),
        (Reply(payload=b"[1]"), "no JSON object"),
        (Reply(payload=b""), "no JSON"),
        (Reply(payload=b'{"a":1}', headers={"Content-Type": "text/html"}), "text/html, not JSON"),
        (Reply(payload=b'{"a":1}', headers={}), "no media type, not JSON"),
        (Reply(payload=b"x" * 2_000_000), "more than 1048576 bytes"),
        (Reply(payload=b"{}", length=100), "cannot be reached (RemoteProtocolError)"),
        (Reply(status=302, headers={"Location": "http://127.0.0.2/", **JSON}), "302 Found"),
        (Reply(status=418), "418 I'm a Teapot"),
        (Reply(status=599), "599, after 1"),
    ],
)
def test_an_unusable_answer_is_said_to_be_one(server: Served, reply: Reply, said: str) -> None:
    server.script = [reply] * 3
    if reply.status == 599:
        said = "answered 599"
    with Transport(server.url, limits=QUICK) as transport:
        error = failure(transport)
    assert said in error.message
    assert error.hint


def test_a_problem_document_and_a_charset_are_json(transport: Transport, server: Served) -> None:
    for kind in ("application/json; charset=utf-8", "application/problem+json"):
        server.script = [Reply(headers={"Content-Type": kind})]
        assert transport.post("/count", {}) == {}


def test_a_redirect_is_not_followed_and_the_key_stays(transport: Transport, server: Served) -> None:
    elsewhere = Served(lambda _path, _body: ok(tokens=1))
    try:
        server.script = [Reply(status=307, headers={"Location": f"{elsewhere.url}/count"})]
        error = failure(transport)
    finally:
        elsewhere.http.server_close()
    assert "307 Temporary Redirect" in error.message
    assert "not followed" in error.hint
    assert elsewhere.asked == []


def test_what_the_server_says_of_a_bad_request_is_shown_in_one_line(
    transport: Transport, server: Served
) -> None:
    server.script = [Reply(status=400, payload=b'{"error": {"message": "no\\n\\u001b[31mtext"}}')]
    assert failure(transport).message.endswith("400 Bad Request: no [31mtext")
    server.script = [Reply(status=422, payload=b'{"error": "odd"}')]
    assert failure(transport).message.endswith(": odd")
    server.script = [Reply(status=400, payload=b'{"message": "' + b"x" * 900 + b'"}')]
    assert len(failure(transport).message) < 300
    server.script = [Reply(status=400, payload=b'{"error": {"message": 3}}')]
    assert failure(transport).message.endswith("400 Bad Request")


def test_a_refused_key_names_its_variable(transport: Transport, server: Served) -> None:
    server.script = [Reply(status=401, payload=f'{{"error": "bad {KEY}"}}'.encode())]
    error = failure(transport)
    assert error.hint == "Check the key in TEST_KEY"
    with Transport(server.url, limits=QUICK) as keyless:
        server.script = [Reply(status=403)]
        assert "PACKHORSE_ENDPOINT_KEY" in failure(keyless).hint


ECHOES = [
    Reply(status=400, payload=f'{{"error": {{"message": "bad key {KEY}"}}}}'.encode()),
    Reply(status=404, payload=f'{{"error": {{"message": "{KEY[:9]}...{KEY[-6:]}"}}}}'.encode()),
    Reply(status=401, payload=f'{{"error": {{"message": "{KEY}"}}}}'.encode()),
    Reply(status=500, payload=KEY.encode()),
    Reply(payload=KEY.encode()),
    Reply(payload=b"{}", headers={"Content-Type": f"text/{KEY}"}),
    Reply(status=302, headers={"Location": f"http://127.0.0.1/{KEY}"}),
    Reply(status=429, headers={"Retry-After": KEY}),
    Reply(status=400, headers={"Content-Type": "application/json", "X-Echo": KEY}),
    Reply(payload=b"{}", length=100),
]


@pytest.mark.parametrize("reply", ECHOES)
def test_no_piece_of_the_key_is_shown_by_any_error(
    transport: Transport, server: Served, reply: Reply, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.script = [reply] * 3
    error = failure(transport)
    shown = [error.message, error.hint, repr(error), repr(transport), caplog.text]
    trace = traceback.TracebackException.from_exception(error, capture_locals=True)
    shown += [line for line in trace.format() if "reply = " not in line]  # the test's own
    links: BaseException | None = error
    while links is not None:
        shown.append(repr(vars(links)))
        links = links.__cause__ or links.__context__
    assert not SECRET.shown_in("\n".join(shown))


def test_the_librarys_log_is_masked_while_a_key_is_in_use_and_not_after(
    transport: Transport, server: Served, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.script = [Reply(headers={"Content-Type": "application/json", "X-Echo": KEY})]
    transport.post("/count", {})
    assert "receive_response_headers.started" in caplog.text
    assert "(a line with the <key of TEST_KEY> in it)" in caplog.text
    assert not SECRET.shown_in(caplog.text)
    assert all(logging.getLogger(name).filters for name in LOGGERS)
    transport.close()
    assert not any(logging.getLogger(name).filters for name in LOGGERS)


@pytest.mark.parametrize(
    ("variable", "value", "kind"),
    [
        ("ALL_PROXY", "socks5://user:hidden@host:1", "ImportError"),
        ("HTTPS_PROXY", "http://user:hidden@[::1", "InvalidURL"),
        ("HTTPS_PROXY", "ftp://user:hidden@host", "ValueError"),
        ("SSL_CERT_FILE", "/nowhere/hidden.pem", "FileNotFoundError"),
    ],
)
def test_a_proxy_or_certificate_that_cannot_be_used_is_an_error_without_its_words(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, kind: str
) -> None:
    monkeypatch.setitem(sys.modules, "socksio", None)
    monkeypatch.setenv(variable, value)
    said = f"proxy or certificates .* \\({kind}\\)"
    with (
        Transport("https://host.invalid", key=SECRET, limits=QUICK) as transport,
        pytest.raises(ConfigError, match=said) as caught,
    ):
        transport.post("/count", {})
    assert "hidden" not in "".join(traceback.format_exception(caught.value))


def test_a_key_shows_itself_to_nobody() -> None:
    for shown in (repr(SECRET), str(SECRET), f"{SECRET}", f"{[SECRET]}"):
        assert not SECRET.shown_in(shown)
    with pytest.raises(TypeError):
        pickle.dumps(SECRET)
    assert SECRET.reveal() == KEY
    assert SECRET.shown_in(f"x{KEY[3:9]}x")
    assert not SECRET.shown_in(KEY[:5])


@pytest.mark.parametrize("value", ["with space", "line\nend", "quöte", "nul\x00"])
def test_a_key_that_no_header_can_carry_is_refused_without_showing_it(value: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Secret(value, "TEST_KEY")
    assert "TEST_KEY" in caught.value.message
    assert value not in f"{caught.value.message}{caught.value.hint}"


def test_the_first_variable_that_holds_a_key_is_taken() -> None:
    environ = {"A": " ", "B": f" {KEY}\n", "C": "other"}
    assert required_key(environ, ("A", "B", "C"), "It").reveal() == KEY
    with pytest.raises(MissingKeyError, match="It needs a key, and A or D is not set") as caught:
        required_key(environ, ("A", "D"), "It")
    assert caught.value.variables == ("A", "D")


@pytest.mark.parametrize(
    "url", ["", "localhost:80", "ftp://host", "http://", "http://[", "http://h:x", "https://h:0"]
)
def test_an_unusable_address_is_refused(url: str) -> None:
    with pytest.raises(ConfigError, match="URL of the counting endpoint"):
        Transport(url)


def test_a_password_in_the_address_is_refused_and_not_shown() -> None:
    with pytest.raises(ConfigError) as caught:
        Transport(f"https://user:{KEY}@host")
    assert not SECRET.shown_in(f"{caught.value.message}{caught.value.hint}")


def test_a_key_goes_unencrypted_to_near_machines_alone() -> None:
    with pytest.raises(ConfigError, match="unencrypted"):
        Transport("http://example.com", key=SECRET)
    with pytest.raises(ConfigError, match="unencrypted"):
        Transport("http://9.9.9.9", key=SECRET)
    near = ("http://localhost:1", "http://[::1]:1", "http://10.0.0.7:8000", "http://vllm:8000")
    for url in (*near, "https://example.com"):
        Transport(url, key=SECRET).close()
    Transport("http://example.com").close()


def test_queries_and_fragments_are_no_part_of_the_address() -> None:
    assert Transport("https://host/v1/?k=v#f").where == "https://host/v1"


def test_no_tries_is_no_setting(server: Served) -> None:
    with Transport(server.url, limits=Limits(tries=0)) as transport, pytest.raises(ConfigError):
        transport.post("/count", {})


def test_the_missing_library_is_named(
    transport: Transport, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "httpx2", None)
    with pytest.raises(MissingExtraError, match="httpx2") as caught:
        transport.post("/count", {})
    assert "packhorse[endpoints]" in caught.value.hint


def test_certificates_are_checked(server: Served) -> None:
    # A server without TLS stands in for one with a wrong certificate: no answer is taken.
    secure = server.url.replace("http://", "https://")
    with Transport(secure, limits=QUICK, sleep=lambda _: None) as transport:
        assert "cannot be reached" in failure(transport).message
        assert isinstance(transport._client, httpx2.Client)
