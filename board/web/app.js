// Tappet's page. The kiosk decides what a device may see and do; this file only draws it.
// Text from outside (a title, a name) only ever becomes a text node.
'use strict';
(async () => {
const root = document.documentElement;
const $ = (path, from = document) => from.querySelector(path);
const panel = $('#panel');

// ---- Languages. The key of a text is its English form; foreign text stands in <bdi> and in text nodes, and is kept.
const lang = navigator.languages.map(it => it.slice(0, 2)).find(it => ['en', 'de', 'fr', 'ja'].includes(it)) ?? 'en';
const texts = lang === 'en' ? {} : await fetch(`/${lang}.json`, { signal: AbortSignal.timeout(3000) }).then(it => it.json()).catch(() => ({}));
const t = (text, ...values) => values.reduce((text, value) => text.replace('{}', () => value), texts[text] ?? text);
const plural = (n, one, many) => t(n === 1 || !n && lang === 'fr' ? one : many, n);
const foreign = text => document.createTextNode(text);
root.lang = lang;
for (const el of $('body').querySelectorAll('*')) {
  if (el.closest('bdi, svg')) continue;
  if (el.hasAttribute('aria-label')) el.setAttribute('aria-label', t(el.getAttribute('aria-label')));
  for (const node of el.childNodes) if (node.nodeType === 3) node.data = node.data.replace(/\S[^]*\S/, text => t(text));
}

// Without a panel, this is a form for a code, or a page that waits for the kiosk.
function waitForKiosk() {
  setTimeout(async () => {
    const response = await fetch('/api/state').catch(() => null);
    if (response && response.status !== 503) location.reload(); else waitForKiosk();
  }, 2000);
}
// What a label's link opens is shown after pairing.
for (const [path, name] of [['form.pair', 'action'], ['a[href="/pair"]', 'href']]) if ($(path)) $(path)[name] += location.hash;
if (!panel) return void ($('[data-away]') && waitForKiosk());

function h(name, props, ...kids) {
  const [tag, ...classes] = name.split('.');
  const el = document.createElement(tag);
  if (classes.length) el.className = classes.join(' ');
  for (const [key, value] of Object.entries(props || {})) {
    if (key.startsWith('on')) el.addEventListener(key.slice(2), value);
    else el.setAttribute(key, key === 'aria-label' || key === 'placeholder' ? t(value) : value);
  }
  el.append(...kids.filter(kid => kid || kid === 0).map(kid => typeof kid === 'string' && tag !== 'bdi' ? t(kid) : kid));
  return el;
}
function svg(name, props, ...kids) {
  const el = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(props)) el.setAttribute(key, value);
  el.append(...kids);
  return el;
}
const icon = name => svg('svg', { 'aria-hidden': 'true' }, svg('use', { href: '#i-' + name }));
const marks = { good: 'check', bad: 'cross', warn: 'wait' };
const say = text => { $('#say').textContent = text; };
const clock = date => date.toLocaleTimeString(lang, { hour: '2-digit', minute: '2-digit' });

// ---- The kiosk's time, in which presses are dated: the browser's own clock may be wrong.
let ahead;
const now = () => performance.now() + ahead;
const hearTime = ms => { const found = ms - performance.now(); if (ahead === undefined || found > ahead) ahead = found; };

// ---- Tiles
const tiles = new Map();
const canPress = panel.dataset.level !== 'look';
let isLocked = false, isCold = false, answered = 0;

// The colour stays 2.5 s, its sentence until the next press.
function setTile(tile, state, note) {
  clearTimeout(tile.timer);
  clearInterval(tile.tick);
  tile.state = tile.form.dataset.state = state;
  note = t(note ?? tile.hint);
  tile.note.textContent = note;
  tile.glyph.replaceChildren(marks[state] ? icon(marks[state]) : tile.letter);
  $('.cancel', tile.form)?.remove();
  if (state === 'busy') tile.timer = setTimeout(() => setTile(tile, 'bad', 'No answer'), 6000);
  if (!marks[state]) return;
  say(tile.title + ': ' + note);
  tile.timer = setTimeout(() => setTile(tile, 'idle', note + ' ' + clock(new Date())), 2500);
}

function ask(tile, question) {
  if (tile.question === question.number && tile.state === 'confirm') return;
  setTile(tile, 'confirm', 'Press again');
  tile.question = question.number;
  tile.askedAt = performance.now();
  const draw = () => {
    const left = Math.ceil((question.until - now()) / 1000);
    if (left > 0) tile.glyph.textContent = left; else setTile(tile, 'idle');
  };
  draw();
  tile.tick = setInterval(draw, 250);
  tile.form.append(h('button.cancel', { type: 'button', onclick: () => send('/cancel', { question: question.number }) }, 'Cancel'));
  say(tile.title + ': ' + t('press again to confirm, or cancel'));
}

function press(tile) {
  if (!canPress || isLocked || isCold || tile.state === 'busy') return;
  if (tile.state === 'confirm') {
    // The second half of a double click is no answer.
    if (performance.now() - tile.askedAt < 500) return;
    const question = tile.question;
    setTile(tile, 'busy', 'Sending …');
    return void send('/confirm', { question, at: Math.round(now()) }, tile);
  }
  setTile(tile, 'busy', 'Sending …');
  send('/press', { action: tile.action, id: newID(), at: Math.round(now()) }, tile);
}
const newID = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join('');

async function send(path, values, tile) {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), 5000);
  let reply = {};
  try {
    const response = await fetch(path, {
      method: 'POST', body: new URLSearchParams(values), headers: { Accept: 'application/json' }, signal: stop.signal });
    reply = await response.json();
  } catch { reply = { error: 'Not sent' }; } finally { clearTimeout(timer); }
  if (!tile) return;
  if (reply.error) setTile(tile, 'bad', reply.error);
  else if (reply.result === 'asked' && reply.question) ask(tile, reply.question);
  else if (reply.result === 'refused') setTile(tile, 'bad', reply.text);
  else if (reply.result === 'cancelled') setTile(tile, 'warn', t('Not done: it cancelled {}. Press again', reply.title || t('a question')));
}

for (const form of document.querySelectorAll('.tile')) {
  const glyph = $('.glyph', form);
  const tile = { form, glyph, action: form.dataset.action, title: $('b', form).textContent, hint: form.dataset.hint,
    note: $('.note', form), letter: document.createTextNode(glyph.textContent.trim()), button: $('.press', form), state: 'idle' };
  tiles.set(tile.action, tile);
  form.addEventListener('submit', event => { event.preventDefault(); press(tile); });
}
panel.addEventListener('submit', event => {
  if (event.target.getAttribute('action') !== '/lock') return;
  event.preventDefault();
  send('/lock', {});
});
$('.question', panel)?.remove();

// ---- Outcomes
let flashTimer, flashTick;
function flash(tone, mark, title, text) {
  clearTimeout(flashTimer);
  clearInterval(flashTick);
  const box = $('.flash');
  box.dataset.tone = tone;
  box.replaceChildren(mark, h('b', null, h('bdi', null, title)), h('p', null, text));
  box.hidden = false;
  say(title + ': ' + t(text));
  flashTimer = setTimeout(endFlash, 2500);
}
function endFlash() { $('.flash').hidden = true; clearInterval(flashTick); }
$('.flash').addEventListener('pointerdown', endFlash);

function showOutcome(it) {
  const tile = tiles.get(it.action);
  const text = t(it.text) + (it.person ? ' (' + it.person + ')' : '');
  showLast(it);
  redrawSoon();
  if (it.trigger === 'tag') {
    // The delivery of an accepted tap is no news for somebody who stands there.
    if (it.result !== 'delivered' && shown === 'panel') flash(it.tone, icon(marks[it.tone]), it.title || t('Tag'), text);
  } else if (tile) {
    if (it.result === 'accepted') setTile(tile, 'busy', 'Sending …');
    else if (it.result === 'cancelled') setTile(tile, 'idle', it.text);
    else setTile(tile, it.tone, it.text);
  }
}
function showLast(it) {
  if (!it) return;
  const words = [it.person, it.title].filter(Boolean).join(', ');
  $('.last', panel).replaceChildren(icon(marks[it.tone]),
    h('bdi', null, clock(new Date(it.time)) + '\u2002' + (words && words + ': ') + t(it.text)));
}

function showState(it) {
  const wanted = (it.tiles || []).map(tile => tile.action + '\n' + tile.title).join('\n');
  const shown = [...tiles.values()].map(tile => tile.action + '\n' + tile.title).join('\n');
  const lock = $('form[action="/lock"]', panel);
  if (wanted !== shown || it.level !== panel.dataset.level || canPress && (it.locked === null) !== !lock) return location.reload();
  $('h1', panel).replaceChildren(h('bdi', null, it.name));
  $('.pill', panel).dataset.tone = it.tone;
  $('.pill span', panel).textContent = t(it.text);
  isLocked = it.locked === true;
  $('.shut', panel).hidden = canPress && !isLocked;
  if (lock) lock.hidden = isLocked;
  showLast(it.last);
  // What happened while nobody looked.
  const changed = tiles.get(it.last?.action);
  if (changed?.state === 'idle' && changed.note.textContent.startsWith(t('Waiting to be sent')) && it.last.result !== 'queued') setTile(changed, 'idle', t(it.last.text) + ' ' + clock(new Date(it.last.time)));
  update();
  redrawSoon();
  const asked = it.question;
  for (const tile of tiles.values()) {
    if (asked?.mine && asked.action === tile.action) ask(tile, asked);
    else if (tile.state === 'confirm') setTile(tile, 'idle', tile.hint);
  }
  if (asked?.trigger === 'tag' && shown === 'panel') countDown(asked); else if (flashTick) endFlash();
}
// A tag whose action asks first is confirmed by staying on the reader.
function countDown(question) {
  const count = h('div.count', null, '');
  flash('warn', count, question.title || '', 'Keep the tag there to confirm.');
  clearTimeout(flashTimer);
  const draw = () => {
    const left = Math.ceil((question.until - now()) / 1000);
    if (left > 0) count.textContent = left; else endFlash();
  };
  draw();
  flashTick = setInterval(draw, 250);
}

// ---- The stream: one connection, closed while nobody looks
function update() {
  for (const tile of tiles.values()) tile.button.disabled = isCold || isLocked || !canPress;
}
function cold(is) {
  isCold = is;
  root.classList.toggle('cold', is);
  $('.lost').hidden = !is;
  update();
}
const heard = { state(it) { cold(false); showState(it); }, outcome: showOutcome, people: redrawSoon, light() {}, beat: turnPage, gone() { cold(true); } };
let stream, quiet, pause = 400;
function listen() {
  stream?.close();
  ahead = undefined;
  stream = new EventSource('/events');
  const mine = stream;
  stream.onopen = () => { pause = 400; };
  for (const [name, act] of Object.entries(heard)) stream.addEventListener(name, event => {
    clearTimeout(quiet);
    quiet = setTimeout(again, 25000);
    const it = JSON.parse(event.data);
    if (it) { pause = 400; hearTime(it.now); }
    act(it?.data);
  });
  stream.onerror = () => { if (mine === stream) again(); };
}
async function again() {
  cold(true);
  stream?.close();
  clearTimeout(quiet);
  quiet = setTimeout(listen, pause);
  pause = Math.min(2000, pause * 1.3);
  // A device that was removed sees the form for a code.
  const response = await fetch('/api/state').catch(() => null);
  if (response?.status === 403) location.reload();
}
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) return listen();
  stream?.close();
  clearTimeout(quiet);
});
listen();

// ---- The other pages, for those who manage
// Returns the kiosk's response; throws its reason. A form is sent, everything else is only read.
async function api(path, form) {
  const headers = { Accept: 'application/json' };
  for (;;) {
    const response = await fetch(path, form ? { method: 'POST', body: new URLSearchParams(form), headers } : { headers })
      .catch(() => { throw new Error(sentence('the kiosk does not respond')); });
    if (response.status === 429 && !form) { await new Promise(done => setTimeout(done, 1000)); continue; }
    const reply = await response.json().catch(() => ({ error: 'the kiosk does not respond' }));
    if (reply.error) throw fault(reply);
    return reply;
  }
}
const fault = reply => Object.assign(new Error(sentence(reply.error)), { code: reply.code });
const finder = text => h('input', { type: 'search', placeholder: text, 'aria-label': text, autocomplete: 'off' });
// Draws the content below its search field, which keeps its focus and text.
function drawBelow(field, content, kids) {
  if (content.firstChild !== field) content.replaceChildren(field);
  while (field.nextSibling) field.nextSibling.remove();
  content.append(...kids);
}
const query = values => '?' + new URLSearchParams(values);
const bdi = text => h('bdi', null, text);
const soft = text => h('p.soft', null, text);
const bad = error => h('p.bad', { role: 'alert' }, error.message);
const day = date => date.toLocaleDateString(lang, { weekday: 'short', day: 'numeric', month: 'short' });

const pages = new Map([['panel', { title: 'Panel', section: panel, draw() {} }]]);
let shown = 'panel';
// Adds a page; `draw` fills its content each time it is opened, and may be asynchronous.
function page(name, title, draw, ...tools) {
  const content = h('div');
  const section = h('section', { id: name, hidden: '' }, h('header', null, h('h1', null, title), ...tools), content);
  pages.set(name, { title, section, draw: () => draw(content).catch(error => content.replaceChildren(h('div.card', null, bad(error)))) });
  return content;
}
function open() {
  const name = location.hash.slice(1).split('?')[0];
  shown = pages.has(name) ? name : 'panel';
  for (const [key, { section, link }] of pages) {
    section.hidden = key !== shown;
    if (key === shown) link.setAttribute('aria-current', 'page'); else link.removeAttribute('aria-current');
  }
  $('.sheet').close();
  pages.get(shown).draw();
}
function frame() {
  const bar = h('nav.side', { 'aria-label': 'Pages' });
  for (const [name, page] of pages) {
    page.link = h('a', { href: '#' + name, onclick: () => { daysBack = 0; if (name === shown) page.draw(); } }, icon(name), h('span', null, page.title));
    bar.append(page.link);
    if (name !== 'panel') $('main').append(page.section);
  }
  document.body.append(bar, h('dialog.sheet', { 'aria-label': 'Details', onclose: () => { if (shown === 'store') pages.get(shown).draw(); } }));
  root.classList.add('framed');
  addEventListener('hashchange', open);
  open();
}
function sheet(title, ...kids) {
  const box = $('.sheet');
  box.replaceChildren(h('header', null, h('h2', null, bdi(title)),
    h('button.round', { type: 'button', 'aria-label': 'Close', onclick: () => box.close() }, icon('cross'))), ...kids.filter(Boolean));
  if (!box.open) box.showModal();
}
const facts = pairs => h('dl.facts', null, ...pairs.filter(([, value]) => value).flatMap(([name, value]) => [h('dt', null, name), h('dd', null, bdi(value))]));
const row = (mark, name, text, end, act) => h('li', null, h('button.open', { type: 'button', onclick: act },
  mark, h('span.grow', null, h('b', null, bdi(name)), h('span.soft', null, bdi(text))), end, icon('next')));

// ---- Today
const ends = { accepted: ['warn', 'waits to be sent'], delivered: ['good', 'delivered'], refused: ['bad', 'refused'],
  expired: ['bad', 'expired'], dropped: ['bad', 'removed'], undeliverable: ['bad', 'not accepted by its receiver'], ignored: ['warn', 'ignored'] };
const triggers = { tag: 'Unknown tag', button: 'Button or page', command: 'Command', inventory: 'Store room' };
let daysBack = 0, drawnFrom = 0, only = 'all', taps = [], results = new Map(), next = '', hours = [], delivered = 0;

const span = back => {
  const start = new Date();
  start.setHours(0, 0, 0, 0);
  start.setDate(start.getDate() - back);
  const end = new Date(start);
  end.setDate(end.getDate() + 1);
  return { from: start.getTime(), until: end.getTime() };
};
// An outcome belongs to the tap with its id, whose row is older.
function addTaps(reply) {
  for (const it of reply.taps) {
    if (it.id && it.result !== 'accepted') { if (!results.has(it.id)) results.set(it.id, it); continue; }
    taps.push({ ...it, end: it.id && results.get(it.id)?.result || (it.id || it.result !== 'accepted' ? it.result : 'delivered'), why: it.code ?? results.get(it.id)?.code });
    results.delete(it.id);
  }
  next = reply.next;
  if (next) return;
  // What was accepted on an earlier day.
  for (const it of results.values()) taps.push({ ...it, end: it.result, why: it.code });
  taps.sort((a, b) => b.time - a.time);
}
// Reasons for people who do not know the codes, all of which docs/json.schema.json explains.
const reasons = {
  'signature-invalid': 'not valid here: a removed tag, or one of another kiosk', 'url-malformed': 'not for this kiosk', 'action-unknown': 'not for this kiosk',
  'action-without-secrets': 'not for this kiosk', 'url-copied': 'a copy of another tag', 'person-suspended': 'suspended', 'outside-hours': 'outside the permitted hours',
  'holiday': 'not on this day', 'not-yet-valid': 'not yet', 'no-longer-valid': 'no longer', 'used-up': 'no uses left', 'broker-away': 'the broker was unavailable',
  'webhook-away': 'the server was unavailable', 'panel-locked': 'the buttons were locked', 'tag-held': 'left on the reader', 'too-many': 'too many attempts', 'clock-unknown': 'the clock was not set',
};
const words = code => code ? t(reasons[code] ?? code.replaceAll('-', ' ')) : '';
const whose = tap => tap.person || (tap.gone ? t('A removed person') : tap.tag)
  || t(tap.trigger === 'tag' && ends[tap.end]?.[0] !== 'bad' ? 'Tag without a person' : triggers[tap.trigger] || 'Several');
function tapRow(tap) {
  const [tone, english] = ends[tap.end] || ends.ignored, word = t(english);
  const text = [tap.title, word].filter(Boolean).join(', ') + (tone === 'bad' && tap.why ? ': ' + words(tap.why) : '')
    + (tap.count > 1 ? ', ' + t('{} times', tap.count) : '');
  const time = clock(new Date(tap.time));
  return row(h('span.mark', { 'data-tone': tone }, icon(marks[tone])), whose(tap), text, h('time', null, time), () => sheet(whose(tap),
    facts([['Time', day(new Date(tap.time)) + ', ' + time], ['Action', tap.title], ['Outcome', word], ['Reason', words(tap.why)], ['Tag', tap.tag], ['UID', tap.uid], ['Person', tap.person]]),
    tap.person && h('a.quiet', { href: '#people?' + encodeURIComponent(tap.person) }, 'Person: ', bdi(tap.person))));
}
const kinds = { all: ['All', () => true], tags: ['Tags', tap => tap.trigger === 'tag'],
  refused: ['Refused', tap => ends[tap.end]?.[0] === 'bad'], waiting: ['Waiting', tap => tap.end === 'accepted'] };
function drawTaps(content) {
  const total = index => hours.reduce((sum, hour) => sum + hour[index], 0);
  const top = Math.max(1, ...hours.map(([good, bad]) => good + bad));
  const bars = svg('svg', { class: 'bars', viewBox: `0 0 ${hours.length * 10} 50`, preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    ...hours.map(([good, bad], hour) => {
      const height = good + bad ? Math.max(4, (good + bad) / top * 48) : 3;
      return svg('rect', { x: hour * 10 + 1, width: 8, rx: 2, y: 50 - height, height, class: good + bad ? '' : 'none' });
    }));
  const figures = [['Taps and presses', total(0) + total(1)], ['Delivered', delivered], ['Refused', total(1)]];
  const found = shownTaps();
  const list = h('ul.list');
  let hour;
  for (const tap of found) {
    const of = new Date(tap.time).getHours();
    if (of !== hour) list.append(h('li.hour', null, String(hour = of).padStart(2, '0') + ':00'));
    list.append(tapRow(tap));
  }
  content.replaceChildren(
    h('div.card', null, h('dl.figures', null, ...figures.map(([name, n]) => h('div', null, h('dt', null, name), h('dd', null, n)))), bars),
    h('div.filters', { role: 'group', 'aria-label': 'Show' }, ...Object.entries(kinds).map(([key, [text]]) =>
      h('button', { type: 'button', 'aria-pressed': String(key === only), onclick: () => { only = key; loadTaps(content, 30); } }, text))),
    h('div.card', null, found.length ? list : soft(taps.length ? 'None of these.' : 'Nothing happened on this day.'),
      next && h('button.quiet', { type: 'button', onclick: () => loadTaps(content, found.length + 30) }, 'Show earlier')));
}
// Loads taps until this many can be shown, or no more: a part may contain none of this day, or of this kind.
async function loadTaps(content, wanted) {
  const mine = drawing;
  while (next !== null && shownTaps().length < wanted) {
    const reply = await api('/api/taps' + query({ ...span(daysBack), before: next }));
    if (mine !== drawing) return;
    addTaps(reply);
  }
  drawTaps(content);
}
const shownTaps = () => taps.filter(kinds[only][1]);
let drawing = 0;
async function drawToday(content) {
  const mine = ++drawing;
  $('#today h1').textContent = [t('Today'), t('Yesterday')][daysBack] ?? day(new Date(span(daysBack).from));
  $('#today [data-after]').disabled = daysBack === 0;
  let reply, sum = [], count = 0, before = '';
  do {
    reply = await api('/api/hours' + query({ ...span(daysBack), before }));
    sum = reply.hours.map(([good, bad], hour) => [good + (sum[hour]?.[0] ?? 0), bad + (sum[hour]?.[1] ?? 0)]);
    count += reply.delivered;
    before = reply.next;
  } while (before);
  if (mine !== drawing) return;
  // A live page keeps what was loaded.
  const { from } = span(daysBack), wanted = drawnFrom === from ? Math.max(30, shownTaps().length) : 30;
  [hours, delivered, taps, results, next, drawnFrom] = [sum, count, [], new Map(), '', from];
  await loadTaps(content, wanted);
}
function turn(by) { daysBack = Math.max(0, daysBack + by); pages.get('today').draw(); }
// At midnight, another day is today.
function turnPage() { if (drawnFrom !== span(daysBack).from) redrawSoon(); }
// Draws the page again after a tap or a change of the state or of the people, at most once a second.
let redraw;
function redrawSoon() {
  const isLive = () => shown === 'today' && !daysBack || shown === 'device'
    || shown === 'people' && !$('.sheet').open && !document.activeElement?.closest('#people .list');
  if (isLive()) redraw ??= setTimeout(() => { redraw = undefined; if (isLive()) pages.get(shown).draw(); }, 1000);
}

// ---- People
async function all(path, name) {
  const found = [];
  for (let from = 0; from !== null;) {
    const reply = await api(path + query({ from }));
    found.push(...reply[name]);
    from = reply.next;
  }
  return found;
}
const initials = name => name.split(' ').map(word => [...word][0]).filter(Boolean).slice(0, 2).join('').toUpperCase();
const since = seconds => seconds ? t('used {}', day(new Date(seconds * 1000))) : t('not used yet');
function chip(one) {
  if (one.suspended) return h('span.chip', { 'data-tone': 'bad' }, 'Suspended');
  if (one.uses !== null) return h('span.chip', { 'data-tone': one.used < one.uses ? 'warn' : 'bad' }, plural(Math.max(0, one.uses - one.used), '{} use left', '{} uses left'));
  return one.until && h('span.chip', null, t('until {}', one.until));
}
const search = finder('Find a person');
const plain = text => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
async function drawPeople(content) {
  const [people, secrets] = [await all('/api/people', 'people'), await all('/api/secrets', 'secrets')];
  const list = h('ul.list');
  search.oninput = draw;
  const show = one => showPerson(one, secrets.filter(secret => secret.person === one.name), content);
  function draw() {
    const wanted = plain(search.value.trim());
    const found = people.filter(one => plain(one.name).includes(wanted));
    list.replaceChildren(...found.slice(0, 200).map(one => row(h('span.mark', { 'aria-hidden': 'true' }, initials(one.name)), one.name,
      plural(one.tags, '{} tag', '{} tags'), chip(one), () => show(one))));
    if (!found.length) list.append(h('li', null, soft(people.length ? 'Nobody has this name.' : 'Nobody yet.')));
    if (found.length > 200) list.append(h('li', null, soft(t('And {} more: find them by name.', found.length - 200))));
  }
  draw();
  const unowned = secrets.filter(secret => !secret.person);
  const rest = unowned.length > 0 && h('div.card', null, h('h2', null, 'Tags without a person'), h('ul.list', null, ...unowned.slice(0, 200).map(secret => tagRow(secret, content))));
  const add = h('div.card', null, list, h('button.quiet', { type: 'button', onclick: () => askName(t('A new person'), '', name => change('/api/person/add', { name }, content)) }, icon('plus'), 'Add a person'));
  drawBelow(search, content, [add, rest].filter(Boolean));
  const wanted = decodeURIComponent(location.hash.split('?')[1] ?? '');
  if (wanted) { history.replaceState(null, '', '#people'); const one = people.find(one => one.name === wanted); if (one) show(one); }
}
// Sends a change, and draws the page again; the reason of a failure stays in the sheet.
async function change(path, form, content) {
  try {
    await api(path, form);
    $('.sheet').close();
    await drawPeople(content);
  } catch (error) {
    await drawPeople(content);
    $('.sheet').append(bad(error));
  }
}
function tagRow(secret, content) {
  const name = secret.label || t('Tag'), made = t('written {}', day(new Date(secret.created * 1000)));
  return h('li', null, h('span.mark', null, icon('tag')),
    h('span.grow', null, h('b', null, bdi(name)), h('span.soft', null, bdi(secret.action + ', ' + made + ', ' + since(secret.last_used)))),
    h('button.round', { type: 'button', 'aria-label': t('Show the code of {}', name), onclick: () => showCode(secret) }, icon('share')),
    h('button.round', { type: 'button', 'aria-label': t('Remove {}', name), onclick: () => askRemoval(t('Remove {}', name),
      t('This tag of {}, {}, is refused from now on. This cannot be undone.', secret.person || t('nobody'), made), '/api/secret/remove', { id: secret.id }, content) }, icon('cross')));
}
// Does what needs the password, which is asked for unless it was entered in the last minutes.
async function guarded(path, form, done) {
  try { done(await api(path, form)); } catch (error) {
    if (error.code !== 'again') return void sheet(t('That did not work'), bad(error));
    askPassword(() => guarded(path, form, done));
  }
}
function askPassword(act) {
  const field = h('input', { name: 'password', type: 'password', required: '', autocomplete: 'current-password' });
  const question = h('form.ask', null, h('input', { hidden: '', autocomplete: 'username', value: 'page' }),
    h('label', null, 'Password of this page', field), h('button.main', null, 'Continue'));
  question.addEventListener('submit', async event => {
    event.preventDefault();
    $('.bad', question)?.remove();
    try { await api('/api/again', { password: field.value }); } catch (error) { field.value = ''; return question.append(bad(error)); }
    act();
  });
  sheet(t("The page's password"), question);
  field.focus();
}
function showCode(secret) {
  guarded('/api/share', { id: secret.id }, it => {
    const box = $('.sheet');
    const code = svg('svg', { class: 'qr', viewBox: `0 0 ${it.width} ${it.width}`, role: 'img', 'aria-label': 'QR code' }, svg('path', { d: it.path }));
    sheet(secret.label || t('Tag'), code, soft("Scan this code with the app. Anyone who scans it gets the tag's key. The code disappears after 60 seconds."));
    const timer = setTimeout(() => box.close(), 60000);
    box.addEventListener('close', () => { clearTimeout(timer); code.remove(); }, { once: true });
  });
}
function askRemoval(title, text, path, form, content) {
  sheet(title, soft(text), h('p.row', null, h('button.danger', { type: 'button', onclick: () => guarded(path, form, () => { $('.sheet').close(); drawPeople(content); }) }, 'Remove')));
}
function askName(title, value, act) {
  const name = h('input', { name: 'name', value, required: '', maxlength: 64, autocomplete: 'off' });
  sheet(title, h('form.ask', { onsubmit: event => { event.preventDefault(); act(name.value); } },
    h('label', null, 'Name', name), h('button.main', null, 'Save')));
  name.focus();
}
function showPerson(one, secrets, content) {
  const button = (kind, text, act) => h('button.' + kind, { type: 'button', onclick: act }, text);
  const hours = one.suspended ? t('never, while suspended') : one.hours.length ? one.hours.join('; ') : t('at any time');
  sheet(one.name,
    facts([['May come', hours], ['From', one.from], ['Until', one.until], ['Uses', one.uses === null ? '' : t('{} of {}', one.used, one.uses)]]),
    h('ul.list', null, ...secrets.map(secret => tagRow(secret, content))),
    soft(one.site ? 'This person belongs to the site, which is managed elsewhere.'
      : one.suspended ? 'All of their tags are refused.' : 'Suspending takes effect at once, for all of their tags.'),
    !one.site && h('p.row', null,
      one.suspended ? button('main', 'Let them in again', () => change('/api/person/resume', { name: one.name }, content))
        : button('danger', 'Suspend', () => change('/api/person/suspend', { name: one.name }, content)),
      button('quiet', 'Write a tag', () => askTag(one.name)),
      button('quiet', 'Remove', () => askRemoval(t('Remove {}', one.name), 'All of their tags are refused from now on. This cannot be undone.', '/api/person/remove', { name: one.name }, content)),
      button('quiet', 'Rename', () => askName(t('Rename {}', one.name), one.name, name => change('/api/person/rename', { name: one.name, new_name: name }, content)))));
}

// ---- Write a tag
// Calls `hear` with each line of JSON that the kiosk sends.
async function lines(path, form, signal, hear) {
  const response = await fetch(path, { method: 'POST', body: new URLSearchParams(form), headers: { Accept: 'application/json' }, signal });
  if (!response.ok) throw fault(await response.json());
  let rest = '';
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const whole = (rest + part.value).split('\n');
    rest = whole.pop();
    for (const line of whole) hear(JSON.parse(line));
  }
}
const tagTitle = person => person ? t('A tag for {}', person) : t('A new tag');
async function askTag(known) {
  const { actions } = await api('/api/actions');
  const people = known ? [] : await all('/api/people', 'people');
  const owner = h('select', { name: 'person' }, h('option', { value: '' }, 'Nobody'), ...people.map(it => h('option', { value: it.name }, foreign(it.name))));
  const choice = h('select', { name: 'action' }, ...actions.map(it => h('option', { value: it.action }, foreign(it.title))));
  const label = h('input', { name: 'label', maxlength: 64, autocomplete: 'off', placeholder: 'Key ring' });
  sheet(tagTitle(known),
    h('form.ask', { onsubmit: event => {
      event.preventDefault();
      const person = known || owner.value;
      writeTag(person, { action: choice.value, label: label.value.trim(), person }, choice.selectedOptions[0].text);
    } }, !known && h('label', null, 'Person', owner), h('label', null, 'Action', choice), h('label', null, 'Label', label), h('button.main', null, 'Write')));
}
// A closed sheet, or a lost page, ends the job; a write that has begun is still completed.
async function writeTag(person, form, title) {
  const box = $('.sheet');
  const stop = new AbortController();
  const text = h('b', null, 'Hold the tag to the reader'), bar = h('progress', { max: 1, value: 0, 'aria-label': 'Progress' });
  const pill = $('.pill', panel);
  sheet(tagTitle(person), h('div.hold', { role: 'status' }, icon('tag'), text, bar),
    pill.dataset.tone === 'bad' && h('p.bad', null, t('The kiosk needs attention: {}.', $('span', pill).textContent)));
  box.addEventListener('close', () => stop.abort(), { once: true });
  let result;
  try {
    await lines('/api/tag', form, stop.signal, it => {
      if (it.result) result = it.result;
      else if (it.notice === 'progress') { [bar.max, bar.value] = [it.total, it.done]; text.textContent = t('Keep it there'); }
      else if (it.notice) text.textContent = t('That was too short. Hold the tag to the reader');
    });
    if (!result) throw new Error('The kiosk was lost. Try again when it is back.');
  } catch (error) {
    if (stop.signal.aborted) return;
    if (error.code === 'again') return askPassword(() => writeTag(person, form, title));
    result = { done: false, sentence: error.message };
  }
  const tone = result.done ? 'good' : 'bad';
  if (shown === 'people') await pages.get('people').draw();
  sheet(tagTitle(person), h('div.hold', { 'data-tone': tone, role: 'status' }, icon(marks[tone]),
    h('b', null, result.done ? 'The tag is ready' : 'The tag is not ready'), h('p', null, bdi(result.done ? title + (person ? ', ' + person : '') : t(sentence(result.sentence))))),
    h('p.row', null, h('button.quiet', { type: 'button', onclick: () => askTag(person) }, result.done ? 'Another tag' : 'Try again')));
}

// ---- Device
const parts = { reader: 'Reader', broker: 'Broker', disk: 'Disk', panel: 'Buttons and lights', webhooks: 'Webhooks', rooms: 'Rooms', inventory: 'Store room', site: 'Site' };
// A path or a link at the start keeps its case.
const sentence = text => (/^[a-z]+([ ,]|$)/.test(text) ? text[0].toUpperCase() + text.slice(1) : text) + (/[.?!]$/.test(text) ? '' : '.');
const line = (tone, name, text, end) => h('li', null, h('span.mark', { 'data-tone': tone }, icon(marks[tone] === 'cross' ? 'warn' : marks[tone])),
  h('span.grow', null, h('b', null, bdi(name)), h('span.soft', null, bdi(t(text)))), end);
const card = (title, ...kids) => h('div.card', null, h('h2', null, title), ...kids);
async function drawDevice(content) {
  const status = await api('/api/status'), { devices } = await api('/api/devices');
  const known = Object.entries(parts).filter(([key]) => status[key]).map(([key, name]) => ({ name: t(name), ...status[key] }));
  const ill = known.filter(part => !part.good);
  const days = Math.floor(status.uptime_seconds / 86400);
  const waits = status.outbox + (status.webhooks?.waiting ?? 0);
  const button = (text, press) => h('button.quiet', { type: 'button', onclick: press }, text);
  content.replaceChildren(...[
    card(ill.length ? plural(ill.length, '{} part needs you', '{} parts need you') : 'All is well',
      h('ul.list', null, ...[...ill, ...known.filter(part => part.good)].map(part => line(part.good ? 'good' : 'bad', part.name, sentence(part.text))),
        status.clock.needed && !status.clock.good && line('warn', t('Clock'), 'Not set; hours and expiry need it.'))),
    card('Messages', h('ul.list', null,
      line(waits ? 'warn' : 'good', waits ? plural(waits, '{} message waiting', '{} messages waiting') : t('Nothing is waiting'),
        status.set_aside ? plural(status.set_aside, '{} message set aside after a refusal.', '{} messages set aside after a refusal.') : 'No message was set aside.',
        status.set_aside > 0 && button('Try again', () => guarded('/api/outbox/retry', {}, () => drawDevice(content)))))),
    status.certificates.length > 0 && card('Certificates', h('ul.list', null, ...status.certificates.map(it =>
      line(it.days_left < 0 ? 'bad' : it.days_left < 30 ? 'warn' : 'good', it.subject, it.days_left < 0 ? 'Expired.' : plural(it.days_left, 'Expires in {} day.', 'Expires in {} days.'))))),
    status.outputs.length > 0 && card('Outputs', h('ul.list', null, ...status.outputs.map(it =>
      line(it.good ? 'good' : 'bad', it.name, it.good ? it.on ? 'On.' : 'Off.' : 'Cannot be switched.')))),
    card('Browsers that may use this page', h('ul.list', null, ...devices.map(it => h('li', null, h('span.mark', null, icon('panel')),
      h('span.grow', null, h('b', null, bdi(it.device)), h('span.soft', null, t('{}, since {}', t(it.level), day(new Date(it.paired * 1000))))),
      button('Remove', () => sheet(t('Remove {}', it.device), soft('It has to be paired again at the kiosk.'),
        h('button.danger', { type: 'button', onclick: () => guarded('/api/device/remove', { name: it.device }, () => { $('.sheet').close(); drawDevice(content); }) }, 'Remove'))))))),
    soft(t('Tappet {}, running for {}.', status.version, days ? plural(days, '{} day', '{} days') : t('less than a day'))),
  ].filter(Boolean));
}

// ---- Store room
const wantedThing = finder('Find a thing, or type its code');
const newTicket = () => 1 + crypto.getRandomValues(new Uint32Array(1))[0];
// What failed keeps its ticket: it may have been done, and is not done again.
function step(it, by) {
  let ticket = newTicket();
  return h('button.round', { type: 'button', 'aria-label': t(by < 0 ? 'Take one {}' : 'Put back one {}', it.name), onclick: async () => {
    const mine = ticket;
    ticket = newTicket();
    if (!await changeStore('adjust', { id: it.id, pieces: by, ticket: mine })) ticket = mine;
  } }, by < 0 ? '\u2212' : '+');
}
const loan = one => one.person + (one.quantity ? ': ' + one.quantity : '') + (one.due ? ', ' + t('until {}', one.due) : '');
const loans = it => it.loans.map(loan).join('; ') + (it.borrowers > it.loans.length ? ' …' : '');
function thingChip(it) {
  if (it.low) return h('span.chip', { 'data-tone': 'warn' }, t('{} of {}', it.quantity, it.minimum));
  const late = it.loans.some(loan => loan.overdue);
  return it.loans.length ? h('span.chip', { 'data-tone': late ? 'bad' : 'warn' }, late ? 'overdue' : 'lent') : it.quantity !== null && h('span.chip', null, it.quantity);
}
const thingRow = it => row(h('span.mark', null, icon('store')), it.name, [loans(it), it.code, it.path].filter(Boolean).join(', '), thingChip(it), () => showThing(it.id));
const things = (title, { things, more }) => (things.length > 0 || more) && card(title, h('ul.list', null, ...things.map(thingRow)), more && soft('There are more.'));
async function drawStore(content) {
  const linked = decodeURIComponent(location.hash.split('?')[1] ?? '');
  if (linked) history.replaceState(null, '', '#store');
  const text = linked || wantedThing.value.trim();
  const reply = await api(text ? '/api/store/find' + query({ text }) : '/api/store');
  if (!linked && text !== wantedThing.value.trim()) return;
  const kids = text ? [things('Found', reply) || soft('Nothing has this name or code.')]
    : [things('Low', reply.low), things('Lent', reply.lent), things('Missing', reply.missing)].filter(Boolean);
  if (!kids.length) kids.push(soft('Nothing is low, lent or missing.'));
  drawBelow(wantedThing, content, kids);
  if (linked && reply.things.length === 1) await showThing(reply.things[0].id);
}
let shownThing;
async function showThing(id, note) {
  shownThing = id;
  const { thing: it, contents, notes } = await api('/api/store/show' + query({ id }));
  const button = (kind, text, act) => h('button.' + kind, { type: 'button', onclick: act }, text);
  const ask = (title, path, ...fields) => { sheet(title, h('form.ask', { onsubmit: event => {
    event.preventDefault();
    changeStore(path, { id, ...Object.fromEntries(new FormData(event.target)) });
  } }, ...fields.map(([name, label, props]) => h('label', null, label, h('input', { name, autocomplete: 'off', ...props }))), h('button.main', null, 'Save'))); $('.sheet input').focus(); };
  const stepper = one => h('span.step', null, step(one, -1), h('output', one.low ? { 'data-tone': 'warn' } : null, one.quantity), step(one, 1));
  sheet(it.name, facts([['Place', it.path], ['Code', it.code], ['Minimum', it.minimum], ['Notes', notes]]),
    it.quantity !== null && stepper(it),
    it.loans.length > 0 && h('ul.list', null, ...it.loans.map(one => h('li', null, h('span.grow', null, h('b', null, 'Lent to'), h('span.soft', null, bdi(loan(one)))),
      button('quiet', 'Return', () => changeStore('return', { id, from: one.person }))))),
    it.borrowers > it.loans.length && soft('There are more.'),
    h('ul.list', null, ...contents.things.map(one => h('li', null, h('button.open.grow', { type: 'button', onclick: () => showThing(one.id) }, h('b.grow', null, bdi(one.name))),
      one.quantity !== null && stepper(one)))),
    contents.more && soft('There are more.'),
    h('p.row', null,
      it.kind !== 'building' && button('main', 'Move', () => ask(t('Move {}', it.name), 'move', ['to', 'To which place? A name or a code', { required: '' }])),
      ['item', 'box'].includes(it.kind) && !it.loans.length && (
        button('quiet', 'Lend', () => ask(t('Lend {}', it.name), 'lend', ['to', 'To whom?', { required: '' }], ['until', 'Until', { type: 'date' }])))), note);
}
// Makes a change, and shows the thing again; a failure is shown where it was asked. Returns whether it was made.
async function changeStore(path, form) {
  const box = $('.sheet'), label = document.activeElement?.getAttribute('aria-label');
  let change;
  $('.bad', box)?.remove();
  try { ({ change } = await api('/api/store/' + path, form)); } catch (error) { box.append(bad(error)); return false; }
  const note = h('p.row.done', { role: 'status' }, h('span.grow', null, path === 'undo' ? 'Undone.' : 'Saved.'),
    change && h('button.quiet', { type: 'button', onclick: () => changeStore('undo', { change }) }, 'Undo'));
  await showThing(shownThing, note).catch(error => sheet(t('That did not work'), bad(error)));
  // The button that was pressed, for the next press of a key.
  if (label) [...box.querySelectorAll('button')].find(it => it.getAttribute('aria-label') === label)?.focus({ preventScroll: true });
  return true;
}
// Where the browser reads barcodes; elsewhere, the phone's own camera opens a label's link.
async function scan() {
  const box = $('.sheet'), video = h('video', { autoplay: '', playsinline: '' });
  let stream;
  try {
    stream = video.srcObject = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } });
    sheet(t('Hold a label to the camera'), video);
    const detector = new BarcodeDetector();
    let code;
    while (!code && box.open) {
      await new Promise(done => setTimeout(done, 200));
      code = (await detector.detect(video).catch(() => []))[0]?.rawValue;
    }
    if (code) location.hash = 'store?' + encodeURIComponent(code);
  } catch { sheet(t('Scan'), bad({ message: 'The camera cannot be used.' })); } finally { stream?.getTracks().forEach(track => track.stop()); }
}
function addStore() {
  let timer;
  wantedThing.oninput = () => { clearTimeout(timer); timer = setTimeout(() => pages.get('store').draw(), 250); };
  page('store', 'Store', drawStore, ...('BarcodeDetector' in window ? [h('button.main', { type: 'button', onclick: scan }, 'Scan')] : []));
}

if (panel.dataset.level === 'manage') {
  const turner = (name, label, by, mark) => h('button.round', { type: 'button', 'aria-label': label, [name]: '', onclick: () => turn(by) }, icon(mark));
  page('today', 'Today', drawToday, turner('data-before', 'The day before', 1, 'back'), turner('data-after', 'The day after', -1, 'next'));
  page('people', 'People', drawPeople, h('button.main', { type: 'button', onclick: () => askTag('') }, icon('tag'), 'Write a tag'));
  if ('store' in panel.dataset) addStore();
  page('device', 'Device', drawDevice);
  frame();
} else if ('store' in panel.dataset) {
  addStore();
  frame();
}
})();
