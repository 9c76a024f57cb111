/// The page's style for light and dark, wide and narrow, screen and print. System fonts only.
enum HTMLStyle {
    /// Every colour of the page, for the light and the dark scheme. A test computes the contrast of all text
    /// colours on all backgrounds from them.
    static let colours: [(name: String, light: String, dark: String)] = [
        ("ink", "#1a2027", "#e4e9ef"),
        ("soft", "#505b67", "#a3aebb"),
        ("paper", "#fbfbfa", "#0e1217"),
        ("card", "#ffffff", "#161c23"),
        ("sunk", "#f1f3f5", "#0b0f13"),
        ("line", "#d3d9df", "#333d48"),
        ("good", "#0f6b33", "#5fd38a"),
        ("bad", "#a8132a", "#ff8f86"),
        ("badcard", "#fff4f2", "#24171a"),
        ("warn", "#7a4d00", "#efc265"),
        ("link", "#0b57a8", "#84bdf7"),
        ("mark", "#ffe58a", "#5c4708"),
        ("now", "#dcebfb", "#1b334d"),
    ]

    /// Text colours; each may be used on each of ``grounds``; on `mark` only `ink`.
    static let letters = ["ink", "soft", "good", "bad", "warn", "link"]
    static let grounds = ["paper", "card", "sunk", "badcard", "now"]

    static let text: String = {
        let light = colours.map { "--\($0.name):\($0.light);" }.joined()
        let dark = colours.map { "--\($0.name):\($0.dark);" }.joined()
        return ":root{color-scheme:light dark;\(light)}\n@media (prefers-color-scheme:dark){:root{\(dark)}}\n"
            + frame + scenario + lanes + media
    }()

    private static let frame = """
        * { box-sizing: border-box; }
        html { scroll-padding-top: .5rem; }
        body { margin: 0; padding: 0 1rem; background: var(--paper); color: var(--ink);
          font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
        body > * { max-width: 84rem; margin-inline: auto; }
        .skip { position: absolute; left: -99rem; }
        .skip:focus { position: fixed; left: 1rem; top: .5rem; z-index: 3; padding: .5rem 1rem;
          background: var(--card); color: var(--link); }
        a { color: var(--link); text-underline-offset: .15em; }
        :focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: .2rem; }
        main:focus { outline: none; }
        .hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
        [hidden] { display: none !important; }
        .banner { margin-top: 1rem; padding: 1rem 1.25rem; background: var(--card); border: 1px solid var(--line);
          border-left: .6rem solid var(--good); border-radius: .6rem; }
        .banner.bad { border-left-color: var(--bad); }
        h1 { margin: 0; font-size: 1.9rem; line-height: 1.2; letter-spacing: -.01em; color: var(--good); }
        .banner.bad h1 { color: var(--bad); }
        h2 { margin: 2rem 0 .75rem; font-size: 1.3rem; } h2 small { font-weight: 400; color: var(--soft); }
        h3, h4 { margin: 0; font-size: 1rem; font-weight: 400; }
        .counts { margin: .4rem 0; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; font-size: 1.05rem; }
        .count { color: var(--soft); } .count.passed { color: var(--good); } .count.bad { color: var(--bad); font-weight: 600; }
        .facts { display: flex; flex-wrap: wrap; gap: .15rem 1.25rem; margin: .5rem 0; font-size: .875rem; }
        .facts div { display: flex; gap: .4rem; min-width: 0; } .facts dt { color: var(--soft); }
        .facts dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
        .tools { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; padding-block: .75rem;
          font-size: .9rem; }
        .tools label { display: flex; gap: .4rem; align-items: center; max-width: 100%; }
        .tools select { max-width: 13rem; } .tools output { color: var(--soft); }
        .tools output:empty { display: none; }
        input, select, button { font: inherit; color: var(--ink); background: var(--card);
          border: 1px solid var(--soft); border-radius: .35rem; padding: .25rem .6rem; min-width: 0; }
        button { cursor: pointer; } button:hover { border-color: var(--link); color: var(--link); }
        kbd { font: .8rem ui-monospace, Menlo, Consolas, monospace; border: 1px solid var(--line);
          border-bottom-width: 2px; border-radius: .25rem; padding: 0 .35rem; }
        dialog { color: var(--ink); background: var(--card); border: 1px solid var(--line); border-radius: .6rem;
          padding: 1rem 1.5rem; max-width: min(30rem, 94vw); } dialog h2 { margin-top: 0; }
        dialog dl div { display: flex; gap: 1rem; margin: .35rem 0; } dialog dt { min-width: 5rem; }
        dialog dd { margin: 0; } dialog::backdrop { background: rgb(0 0 0 / .5); }
        pre, code { font: .8125rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
        pre { overflow-x: auto; margin: .5rem 0; padding: .75rem; background: var(--sunk); border-radius: .4rem; }
        table { border-collapse: collapse; font-size: .84rem; width: 100%; }
        caption { text-align: left; color: var(--soft); padding-bottom: .3rem; }
        th, td { text-align: left; vertical-align: top; padding: .25rem .6rem .25rem 0;
          border-bottom: 1px solid var(--line); } th { font-weight: 600; }
        td code { white-space: pre-wrap; overflow-wrap: anywhere; }
        mark { background: var(--mark); color: var(--ink); border-radius: .15rem; padding: 0 .1em; }
        .cells th[scope=col] { font-weight: 400; color: var(--soft); } .cells td { font-variant-numeric: tabular-nums; }
        .cells th[scope=row] { white-space: nowrap; } .hole { color: var(--bad); font-weight: 600; }
        .wide { overflow-x: auto; } .note, .none { color: var(--warn); }
        footer { color: var(--soft); font-size: .875rem; padding-block: 1.5rem; }

        """

    private static let scenario = """
        .scenario { background: var(--card); border: 1px solid var(--line); border-radius: .6rem;
          padding: .6rem 1rem; margin: .5rem 0; }
        .scenario.bad { border-left: .35rem solid var(--bad); }
        summary { cursor: pointer; } .scenario > summary h3 { display: inline; }
        .verdict { font-weight: 700; color: var(--good); white-space: nowrap; margin-right: .35rem; }
        .bad .verdict { color: var(--bad); } .told .verdict { color: var(--soft); } .title { font-weight: 600; }
        .name { color: var(--soft); font-size: .875rem; overflow-wrap: anywhere; margin-left: .35rem; }
        .reason { margin: .25rem 0; } .more, .steps { margin: .5rem 0; }
        .steps > summary, .more > summary { color: var(--link); }
        .failure { background: var(--badcard); border-radius: .5rem; padding: .9rem 1rem; margin: .75rem 0;
          border: 1px solid var(--line); }
        .failure h4 { font-size: 1.1rem; font-weight: 600; color: var(--bad); overflow-wrap: anywhere; }
        .failure.warning h4 { color: var(--warn); } .failure h4 a { color: inherit; }
        .compare { width: auto; min-width: min(24rem, 100%); margin: .5rem 0; font-size: .95rem; }
        .compare td, .compare th { overflow-wrap: anywhere; padding-right: 1.5rem; white-space: pre-wrap; }
        .compare thead th { color: var(--soft); font-weight: 400; font-size: .84rem; }
        td.expected { color: var(--good); } td.actual { color: var(--bad); }
        .remarks { list-style: none; margin: .5rem 0; padding: 0; font-size: .95rem; }
        .remarks b, .repro b { display: inline-block; min-width: 5rem; font-weight: 400; color: var(--soft); }
        .led { margin: .75rem 0; } .led td { white-space: nowrap; }
        .led td:nth-child(4) { white-space: normal; overflow-wrap: anywhere; min-width: 12rem; width: 70%; }
        .led td:nth-child(2), .lanes td:first-child { font-variant-numeric: tabular-nums; white-space: nowrap; }
        .struck strong { color: var(--bad); }
        .repro { margin: .75rem 0 0; } .repro code { overflow-wrap: anywhere; background: var(--sunk);
          padding: .2rem .4rem; border-radius: .25rem; } .repro .copy { margin-left: .5rem; }
        .ghost { visibility: hidden; } .more .copy { margin: .5rem 0 0; }
        tr.failed td, tr.failed th { color: var(--bad); font-weight: 600; } tr.notReached td, tr.notJudged td { color: var(--soft); }
        :target, .target { outline: 2px solid var(--link); outline-offset: 1px; }
        .moment h4, .trace > h4 { font-weight: 700; margin: 1.25rem 0 .25rem; }
        .slider { display: flex; gap: .5rem; align-items: center; } .slider input { flex: 1; accent-color: var(--link); }
        .at { margin: .25rem 0 .5rem; } .state { display: grid; gap: .75rem 1.5rem;
          grid-template-columns: minmax(0, 3fr) minmax(0, 4fr) minmax(0, 6fr); }
        .state > div { max-height: 15rem; overflow: auto; } .state caption { font-weight: 600; color: var(--ink); }
        .state th { font-weight: 400; color: var(--soft); width: 40%; } .state td, .state th { overflow-wrap: anywhere;
          padding-block: .1rem; } .state tr.new td, .state tr.new th { color: var(--ink); background: var(--now); }
        .state tr.new td::before { content: "● "; } .state tr.gone td { text-decoration: line-through; }
        .rules small { font-weight: 400; color: var(--soft); } .rules a { margin-right: .75rem; overflow-wrap: anywhere; }
        .rules td:last-child { min-width: 12rem; width: 60%; } .rules tr.failed a { font-weight: 400; }

        """

    /// Each lane has a shape, a word and a position, so that colour is never the only sign.
    private static let lanes = """
        .lanes tr > th, .lanes tr > td { border-bottom-color: transparent; padding-block: .1rem; }
        .lanes thead th { border-bottom-color: var(--line); color: var(--soft); font-weight: 400; }
        .lanes td:nth-child(4), .lanes td:nth-child(5) { white-space: nowrap; font-size: .75rem; }
        .lanes td a { text-decoration: none; } .lanes td a:hover { text-decoration: underline; }
        .lanes td { overflow-wrap: anywhere; } .lanes td:nth-child(2) { color: var(--soft); }
        .lanes .step th { padding-top: .6rem; font-weight: 400; border-bottom: 1px solid var(--line); }
        .lanes .step.failed th { color: var(--bad); } .lanes .step code { color: var(--soft); }
        .lanes .gap td { text-align: center; color: var(--soft); font-style: italic; padding-block: .35rem; }
        .lanes td div::before { display: inline-block; width: 1.4em; color: var(--soft); }
        .o div::before { content: "◆"; } .n div::before { content: "⇄"; } .d div::before { content: "▤"; }
        .u div::before { content: "▲"; } .s div::before { content: "■"; } .p div::before { content: "□"; }
        .v div::before { content: "●"; } .l div::before { content: "¶"; }
        .lanes .struck div { border: 2px dashed var(--bad); border-radius: .3rem; padding: 0 .3rem; }
        .lanes .d td { color: var(--soft); } .lanes .names { display: none; }
        .lanes tr.now td { background: var(--now); } .js .lanes tr[id] td:first-child { cursor: pointer; }
        @media (min-width: 60rem) {
          .lanes { table-layout: fixed; } .lanes th:first-child { width: 6.2rem; }
          .lanes th:nth-child(4) { width: 3.4rem; } .lanes th:nth-child(5) { width: 2.6rem; }
          .lanes th.where { width: 0; padding: 0; font-size: 0; } .lanes td:nth-child(2) { font-size: 0; padding: 0; }
          .lanes thead th { position: static; } .lanes th.what { font-size: 0; }
          .lanes .names { display: flex; font-size: .84rem; } .lanes .names span { flex: 1; padding-left: .2rem; }
          .lanes tr[class] td:nth-child(3) { background-image: repeating-linear-gradient(90deg, var(--line) 0 1px,
            transparent 1px calc(100% / 7)); padding-right: 0; }
          .lanes td div { width: fit-content; max-width: calc(100% * 3 / 7); padding-left: .2rem; }
          .lanes .n td div { margin-left: calc(100% / 7); } .lanes .d td div { margin-left: calc(100% * 2 / 7); }
          .lanes .u td div { margin-left: calc(100% * 3 / 7); } .lanes .s td div { margin-left: calc(100% * 4 / 7); }
          .lanes .p td div { margin-left: calc(100% * 5 / 7); max-width: calc(100% * 2 / 7); }
          .lanes .v td div { margin-left: calc(100% * 6 / 7); max-width: calc(100% / 7); }
          .lanes .l td div { max-width: 100%; }
          .trace .moment.live { position: sticky; top: 0; z-index: 1; background: var(--card); padding-bottom: .5rem;
            border-bottom: 1px solid var(--line); }
          .trace .moment.live .state > div { max-height: 11.5rem; }
          .js .trace tr[id] { scroll-margin-top: 24rem; }
        }

        """

    private static let media = """
        @media (max-width: 60rem) { .state { grid-template-columns: minmax(0, 1fr); } }
        @media (max-width: 40rem) { body { font-size: .95rem; } body { padding-inline: .6rem; }
          .scenario { padding: .5rem .6rem; } .failure { padding: .6rem; } .banner { margin-top: .6rem; padding: .75rem; }
          th, td { padding-right: .4rem; } table { font-size: .78rem; } .remarks b, .repro b { min-width: 4rem; }
          .tools label { flex: 1 1 100%; } .tools select, .tools input { flex: 1; max-width: none; }
          .led, .led caption, .led tbody { display: block; } .led thead { position: absolute; clip-path: inset(50%); }
          .led tr { display: grid; grid-template-columns: auto auto 1fr auto; gap: 0 .7rem; padding: .3rem 0;
          border-bottom: 1px solid var(--line); } .led td { border: 0; padding: 0; color: var(--soft); }
          .led td:nth-child(4) { order: 1; grid-column: 1 / -1; width: auto; min-width: 0; font-size: .84rem;
          color: var(--ink); } .led td:nth-child(5):has(a)::before { content: "after "; }
          .lanes td:first-child { font-size: .72rem; } }
        @media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
        @media (prefers-contrast: more) { :root { --soft: var(--ink); --line: var(--ink); } }
        @media print { .tools, .copy, .slider, .skip, dialog, footer { display: none !important; }
          details::details-content { content-visibility: visible; block-size: auto; }
          .scenario { break-inside: avoid-page; } pre, .state > div { overflow: visible; max-height: none;
          white-space: pre-wrap; } .wide { overflow: visible; } body { font-size: 10pt; }
          .trace .moment.live { position: static; } a { color: inherit; } }

        """
}
