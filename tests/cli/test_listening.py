"""Where a service listens."""

import socket

import pytest

from onoma.cli.kb.listening import listening
from onoma.errors import SettingsError


def test_others_can_come_at_once():
    with listening("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname()):
        pass


@pytest.mark.parametrize("host", ["127.0.0.1", "nowhere.invalid"])
def test_where_one_cannot_listen_that_is_said(host):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(SettingsError, match=f"cannot listen on {host}:{port}: ") as said:
            listening(host, port)
    assert "--port 0" in said.value.hint
