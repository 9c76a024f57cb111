/// The page's script: filters that are kept in the URL, keys, copying, expanding the target of a link, and
/// the slider over the states of the device. The page is complete without it.
///
/// The fragment is `#anchor?verdict=…&tag=…&rule=…&q=…`; both halves may be absent.
enum HTMLScript {
    static let text = "'use strict';\n(() => {\n" + start + filters + slider + keys + "})();\n"

    private static let start = #"""
        const one = (s, e = document) => e.querySelector(s), all = (s, e = document) => [...e.querySelectorAll(s)];
        const scenarios = all('.scenario');
        document.documentElement.classList.add('js');
        all('.tools, .copy, .slider').forEach(e => { e.hidden = false; });
        const said = document.createElement('p');
        said.className = 'hidden'; said.setAttribute('role', 'status'); document.body.append(said);

        document.addEventListener('click', e => {
          const button = e.target.closest('.copy');
          if (!button) return;
          const text = one('.copied', button.parentElement).textContent, label = button.textContent;
          const done = () => { said.textContent = 'Copied'; button.textContent = 'Copied ✓';
            setTimeout(() => { button.textContent = label; }, 2000); };
          const byHand = () => { const area = document.createElement('textarea');
            area.value = text; document.body.append(area); area.select();
            if (document.execCommand('copy')) done(); else said.textContent = 'The browser did not allow it';
            area.remove(); button.focus(); };
          if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, byHand); else byHand();
        });

        const hash = () => { const text = location.hash.slice(1), cut = text.indexOf('?');
          const anchor = cut < 0 ? text : text.slice(0, cut);
          let name = anchor; try { name = decodeURIComponent(anchor); } catch { /* as it is */ }
          return { anchor: name, query: new URLSearchParams(cut < 0 ? '' : text.slice(cut + 1)), hasQuery: cut >= 0 }; };
        let anchor = '';
        const write = () => { const query = asked().toString();
          const text = encodeURI(anchor).replaceAll('?', '%3F') + (query ? '?' + query : '');
          history.replaceState(null, '', text ? '#' + text : location.pathname + location.search); };

        let marked = null;
        const show = name => {
          if (marked) marked.classList.remove('target');
          const target = name && document.getElementById(name);
          if (!target) return;
          const owner = target.closest('.scenario');
          if (owner && owner.hidden) { clear(); }
          for (let e = target; e; e = e.parentElement) if (e.tagName === 'DETAILS') e.open = true;
          if (owner && target.matches('tr')) moveTo(owner, target);
          marked = target; target.classList.add('target'); target.scrollIntoView();
          const summary = target.matches('details') ? one('summary', target) : null;
          if (summary) summary.focus({ preventScroll: true });
        };

        """#

    private static let filters = #"""
        const field = name => one('#f-' + name), names = ['q', 'verdict', 'tag', 'rule'];
        const asked = () => { const query = new URLSearchParams();
          for (const name of names) { const f = field(name); if (f && f.value) query.set(name, f.value); }
          return query; };
        const texts = new Map();
        const text = s => { if (!texts.has(s)) texts.set(s, s.textContent.toLowerCase()); return texts.get(s); };
        const has = (list, item) => (list || '').split('\n').includes(item);
        const apply = () => {
          const query = asked(), words = (query.get('q') || '').toLowerCase().split(/\s+/).filter(w => w);
          const verdict = query.get('verdict'), tag = query.get('tag'), rule = query.get('rule');
          let count = 0;
          for (const s of scenarios) {
            const fits = (!verdict || (verdict === 'bad' ? s.classList.contains('bad') : s.dataset.v === verdict))
              && (!tag || has(s.dataset.t, tag)) && (!rule || has(s.dataset.r, rule))
              && words.every(w => text(s).includes(w));
            s.hidden = !fits; if (fits) count++;
          }
          all('main > section').forEach(e => { const inside = all('.scenario', e);
            if (inside.length) e.hidden = inside.every(s => s.hidden); });
          const isFiltered = query.toString() !== '';
          if (field('count')) field('count').textContent = isFiltered ? count + ' of ' + scenarios.length + ' shown' : '';
          if (field('clear')) field('clear').hidden = !isFiltered;
          one('.none').hidden = count > 0 || !isFiltered;
        };
        const clear = () => { for (const name of names) if (field(name)) field(name).value = ''; apply(); write(); };
        const read = () => {
          const now = hash();
          if (now.hasQuery || !now.anchor) for (const name of names) {
            const f = field(name); if (!f) continue;
            f.value = now.query.get(name) || ''; if (f.value !== (now.query.get(name) || '')) f.value = '';
          }
          anchor = now.anchor; apply(); write(); show(anchor);
        };
        for (const name of names) if (field(name)) field(name).addEventListener('input', () => { apply(); write(); });
        all('.clear').forEach(b => b.addEventListener('click', clear));
        addEventListener('hashchange', read);

        """#

    private static let slider = #"""
        const time = micro => { const milli = Math.floor(micro / 1000), s = Math.floor(milli / 1000);
          const two = n => String(n).padStart(2, '0');
          return Math.floor(s / 3600) + ':' + two(Math.floor(s / 60) % 60) + ':' + two(s % 60) + '.'
            + String(milli % 1000).padStart(3, '0'); };
        const sliders = new Map();
        const begin = owner => {
          if (sliders.has(owner)) return sliders.get(owner);
          const panel = one('.moment', owner), data = panel && one('script', panel);
          if (!data) { sliders.set(owner, null); return null; }
          const moments = JSON.parse(data.textContent), rows = new Map();
          for (const row of all('.lanes tr[id]', owner)) {
            const cut = row.id.lastIndexOf('/e'); if (cut >= 0) rows.set(Number(row.id.slice(cut + 2)), row);
          }
          const parse = text => { const p = text.split(/[:.]/).map(Number);
            return (((p[0] * 60 + p[1]) * 60 + p[2]) * 1000 + p[3]) * 1000; };
          const stops = moments.map(([number, at]) => ({ number, at }));
          for (const [number, row] of rows) if (!moments.some(m => m[0] === number))
            stops.push({ number, at: parse(row.cells[0].textContent.trim()) });
          stops.sort((a, b) => a.number - b.number || a.at - b.at);
          const range = one('input', panel), start = Number(data.dataset.at);
          const it = { moments, rows, stops, panel, range, owner, start };
          range.max = stops.length - 1; panel.classList.add('live');
          let place = 0; stops.forEach((s, i) => { if (s.at <= start) place = i; });
          range.value = place;
          range.addEventListener('input', () => draw(it, true));
          all('[data-move]', panel).forEach(b => b.addEventListener('click', () => {
            range.value = Number(range.value) + Number(b.dataset.move); draw(it, true); }));
          sliders.set(owner, it); draw(it, false);
          return it;
        };
        const draw = (it, isMoved) => {
          const place = Number(it.range.value), stop = it.stops[place], before = it.stops[place - 1];
          const isUpTo = (m, s) => s && (m[0] < s.number || (m[0] === s.number && m[1] <= s.at));
          const state = new Map(), fresh = new Set(), gone = new Map();
          for (const m of it.moments) {
            if (!isUpTo(m, stop)) break;
            for (const [part, name, value] of m[2]) {
              const key = part + '\n' + name;
              if (!isUpTo(m, before)) { fresh.add(key); if (value === undefined) gone.set(key, state.get(key)); }
              if (value === undefined) state.delete(key); else state.set(key, value);
            }
          }
          for (const key of gone.keys()) if (state.has(key)) gone.delete(key);
          for (const table of all('table', it.panel)) {
            const body = one('tbody', table), part = table.dataset.part + '\n'; body.replaceChildren();
            const keys = [...new Set([...state.keys(), ...gone.keys()])].filter(k => k.startsWith(part)).sort();
            for (const key of keys) {
              const row = body.insertRow(), head = document.createElement('th'); head.scope = 'row';
              head.textContent = key.slice(part.length); row.append(head);
              row.insertCell().textContent = gone.has(key) ? gone.get(key) || '' : state.get(key);
              if (fresh.has(key)) row.className = gone.has(key) ? 'new gone' : 'new';
              if (fresh.has(key)) row.title = gone.has(key) ? 'gone at this moment' : 'changed at this moment';
            }
            if (!keys.length) body.insertRow().insertCell().textContent = 'nothing';
          }
          let row = null; for (const [number, r] of it.rows) if (number <= stop.number) row = r;
          all('tr.now', it.owner).forEach(r => { r.classList.remove('now'); r.removeAttribute('aria-current'); });
          const what = row ? row.cells[1].textContent.trim() + ': ' + row.cells[2].textContent.trim() : '';
          const next = it.stops[place + 1], end = next ? next.at : Math.max(it.start, stop.at);
          const told = 'From ' + time(stop.at) + ' until ' + time(end) + ', after #' + stop.number
            + (what ? ' ' + what : '');
          one('.at', it.panel).textContent = told + '.';
          it.range.setAttribute('aria-valuetext', told);
          if (row) { row.classList.add('now'); row.setAttribute('aria-current', 'true');
            if (isMoved) row.scrollIntoView({ block: 'nearest', behavior: 'instant' }); }
        };
        const moveTo = (owner, row) => {
          const it = begin(owner), cut = row.id.lastIndexOf('/e'); if (!it || cut < 0) return;
          const number = Number(row.id.slice(cut + 2)); let place = -1;
          it.stops.forEach((s, i) => { if (s.number <= number) place = i; });
          if (place >= 0) { it.range.value = place; draw(it, false); }
        };
        const isReady = s => s.open && one('.moment script', s);
        scenarios.forEach(s => { if (isReady(s)) begin(s); s.addEventListener('toggle', () => { if (isReady(s)) begin(s); }); });
        document.addEventListener('click', e => {
          const cell = e.target.closest('.lanes tr[id] > td:first-child');
          if (cell) { anchor = cell.parentElement.id; write(); show(anchor); }
        });

        """#

    private static let keys = #"""
        const dialog = one('#keys');
        if (one('#keys-open')) one('#keys-open').addEventListener('click', () => dialog.showModal());
        one('#keys-close').addEventListener('click', () => dialog.close());
        const go = (list, step) => {
          const shown = list.filter(s => !s.hidden); if (!shown.length) return;
          const here = document.activeElement.closest('.scenario') || marked && marked.closest('.scenario');
          let place = shown.indexOf(here);
          if (place < 0 && here) { const order = scenarios.indexOf(here);
            place = shown.findIndex(s => scenarios.indexOf(s) > order) - (step > 0 ? 1 : 0);
            if (place < -1) place = shown.length - 1; }
          else if (place < 0) place = step > 0 ? -1 : 0;
          const next = shown[(place + step + shown.length) % shown.length];
          anchor = next.id; write(); one('summary', next).focus({ preventScroll: true });
          next.scrollIntoView(); marked = next;
          said.textContent = one('h3', next).textContent;
        };
        addEventListener('keydown', e => {
          if (e.ctrlKey || e.metaKey || e.altKey || dialog.open) return;
          if (e.target.matches('input:not([type=range]), select, textarea')) {
            if (e.key === 'Escape') e.target.blur();
            return;
          }
          const actions = { j: () => go(scenarios, 1), k: () => go(scenarios, -1),
            f: () => { const bad = scenarios.filter(s => s.classList.contains('bad'));
              go(bad, 1); const s = document.activeElement.closest('.scenario'); if (s) s.open = true; },
            '/': () => field('q') && field('q').focus(), '?': () => dialog.showModal() };
          if (actions[e.key]) { e.preventDefault(); actions[e.key](); }
        });
        all('pre.source mark').forEach(m => { const pre = m.parentElement;
          pre.scrollLeft = Math.max(0, m.offsetLeft - pre.offsetLeft - pre.clientWidth / 3); });
        addEventListener('beforeprint', () => all('details').forEach(d => { d.open = true; }));
        read();

        """#
}
