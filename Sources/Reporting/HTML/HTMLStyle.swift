/// Light and dark, wide and narrow, screen and paper. System fonts only.
enum HTMLStyle {
    static let text = """
        :root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --soft: #59636e; --line: #d1d9e0;
          --card: #f6f8fa; --good: #116329; --bad: #a40e26; --badcard: #fff1f0; --link: #0550ae; --fault: #7d4e00; }
        @media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #0d1117; --soft: #9da7b1;
          --line: #3d444d; --card: #151b23; --good: #56d364; --bad: #ff8e85; --badcard: #2a1517; --link: #79b8ff;
          --fault: #f2cc60; } }
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
        main { max-width: 76rem; margin: 0 auto; padding: 1rem; }
        .skip { position: absolute; left: -99rem; } .skip:focus { position: static; }
        a { color: var(--link); } :focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
        header { border-left: .5rem solid var(--good); padding: .25rem 1rem; background: var(--card);
          border-radius: .5rem; margin-bottom: 1.5rem; }
        header.bad { border-color: var(--bad); }
        h1 { margin: .25rem 0; font-size: 1.75rem; } h2 { margin: 2rem 0 .75rem; font-size: 1.25rem; }
        h3 { margin: .25rem 0 .5rem; font-size: 1.05rem; color: var(--bad); } h4 { margin: .75rem 0 .25rem; }
        header .sign { color: var(--good); } header.bad .sign { color: var(--bad); }
        .facts { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; margin: .5rem 0; font-size: .875rem; }
        .facts div { display: flex; gap: .4rem; min-width: 0; } .facts dt { color: var(--soft); }
        .facts dd { margin: 0; overflow-wrap: anywhere; }
        .scenario { border: 1px solid var(--line); border-radius: .5rem; padding: .5rem .75rem; margin: .5rem 0; }
        .scenario > summary { cursor: pointer; } .title { font-weight: 600; }
        .name { color: var(--soft); font-size: .875rem; overflow-wrap: anywhere; }
        .verdict { font-weight: 600; color: var(--good); white-space: nowrap; }
        .scenario.bad .verdict { color: var(--bad); } .scenario.bad { border-color: var(--bad); }
        .failure { background: var(--badcard); border-radius: .5rem; padding: .75rem; margin: .75rem 0; }
        pre, code { font: .8125rem/1.45 ui-monospace, Menlo, Consolas, monospace; }
        pre { overflow-x: auto; margin: .25rem 0; padding: .5rem; background: var(--card); border-radius: .25rem; }
        table { border-collapse: collapse; font-size: .8125rem; width: 100%; }
        caption { text-align: left; color: var(--soft); padding-bottom: .5rem; }
        th, td { text-align: left; vertical-align: top; padding: .2rem .5rem; border-bottom: 1px solid var(--line); }
        thead th { position: sticky; top: 0; background: var(--paper); }
        .compare td { white-space: pre-wrap; overflow-wrap: anywhere; } .compare th { width: 7rem; }
        .compare .expected td { color: var(--good); } .compare .actual td { color: var(--bad); }
        .wide { overflow-x: auto; } .lanes td.event { min-width: 9rem; } .lanes .time { white-space: nowrap; }
        .lanes tbody tr:target, .steps tr:target { background: var(--card); outline: 2px solid var(--link); }
        td.event { border-left: 3px solid var(--line); } td.updater, td.lab { border-left-color: var(--link); }
        td.page, td.user { border-left-color: var(--good); } td.network, td.origin { border-left-color: var(--fault); }
        tr.fault td.event { color: var(--fault); } tr.gap td { text-align: center; color: var(--soft); }
        tr.failed td { color: var(--bad); font-weight: 600; } tr.notReached td { color: var(--soft); }
        .repro code { overflow-wrap: anywhere; } .note { color: var(--fault); }
        button { font: inherit; padding: .1rem .6rem; } .hint { color: var(--soft); font-size: .875rem; }
        input { font: inherit; max-width: 100%; }
        @media (max-width: 40rem) { main { padding: .5rem; } body { font-size: 15px; } .compare th { width: auto; } }
        @media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
        @media print { details > * { display: block; } .tools, .copy { display: none; } }
        """
}

/// What a page without scripts does not miss: copying, filtering, keys, opening what a link points into.
enum HTMLScript {
    static let text = """
        'use strict';
        const all = [...document.querySelectorAll('.scenario')];
        document.querySelectorAll('.tools, .copy').forEach(e => e.hidden = false);
        document.addEventListener('click', e => {
          if (!e.target.classList.contains('copy')) return;
          const text = e.target.parentElement.querySelector('code').textContent;
          const done = () => { e.target.textContent = 'Copied'; };
          if (navigator.clipboard) { navigator.clipboard.writeText(text).then(done); return; }
          const area = document.createElement('textarea');
          area.value = text; document.body.append(area); area.select(); document.execCommand('copy'); area.remove(); done();
        });
        const filter = document.getElementById('filter');
        const apply = () => {
          const words = filter.value.toLowerCase().split(/ +/).filter(w => w);
          all.forEach(s => { const t = s.textContent.toLowerCase(); s.hidden = !words.every(w => t.includes(w)); });
        };
        filter.addEventListener('input', apply);
        const open = () => {
          const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
          for (let e = target; e; e = e.parentElement) if (e.tagName === 'DETAILS') e.open = true;
          if (target) target.scrollIntoView();
        };
        addEventListener('hashchange', open); open();
        let next = 0;
        addEventListener('keydown', e => {
          if (e.target.tagName === 'INPUT' || e.ctrlKey || e.metaKey || e.altKey) return;
          if (e.key === '/') { e.preventDefault(); filter.focus(); }
          const bad = all.filter(s => s.classList.contains('bad'));
          if (e.key === 'f' && bad.length) { bad[next++ % bad.length].scrollIntoView(); }
        });
        """
}
