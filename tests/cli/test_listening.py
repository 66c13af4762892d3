"""Where a service listens."""

import asyncio
import socket

import pytest

from onoma.cli.kb.listening import listening
from onoma.errors import SettingsError


def test_others_can_come_at_once():
    with listening("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname()):
        pass


def test_answers_are_sent_at_once():
    """What asyncio accepts on it sends small pieces without waiting for the other side."""

    async def accepted():
        found = asyncio.get_running_loop().create_future()
        with listening("127.0.0.1", 0) as listener:
            where = listener.getsockname()
            server = await asyncio.start_server(lambda _, writer: found.set_result(writer), sock=listener)
            _, mine = await asyncio.open_connection(*where)
            theirs = await found
            at_once = theirs.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            for each in (mine, theirs, server):
                each.close()
            return at_once

    assert asyncio.run(accepted())


@pytest.mark.parametrize("host", ["127.0.0.1", "nowhere.invalid"])
def test_where_one_cannot_listen_that_is_said(host):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(SettingsError, match=f"cannot listen on {host}:{port}: ") as said:
            listening(host, port)
    assert "--port 0" in said.value.hint
