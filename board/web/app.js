// What all files of Tappet's page share: languages, elements, requests, sheets, and the frame around the pages.
// The kiosk decides what a device may see and do; the page only draws it. Text from outside (a title, a name) only ever
// becomes a text node.

export const root = document.documentElement;
export const $ = (path, from = document) => from.querySelector(path);
export const panel = $('#panel');

// ---- Languages. The key of a text is its English form; foreign text stands in <bdi> and in text nodes, and is kept.
export const locale = navigator.languages.find(it => /^(en|de|fr|ja)\b/.test(it)) ?? 'en';
const lang = locale.slice(0, 2);
const texts = lang === 'en' ? {} : await fetch(`/${lang}.json`, { signal: AbortSignal.timeout(3000) }).then(it => it.json()).catch(() => ({}));
export const t = (text, ...values) => values.reduce((text, value) => text.replace('{}', () => value), texts[text] ?? text);
export const plural = (n, one, many) => t(n === 1 || !n && lang === 'fr' ? one : many, n);
export const foreign = text => document.createTextNode(text);
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
// The terminal's QR code contains the code. What a label's link opens is shown after pairing.
if (/^#\d{8}$/.test(location.hash) && $('form.pair')) {
  $('form.pair input').value = location.hash.slice(1);
  history.replaceState(null, '', '/pair');
}
for (const [path, name] of [['form.pair', 'action'], ['a[href="/pair"]', 'href']]) if ($(path)) $(path)[name] += location.hash;
if ($('[data-away]')) waitForKiosk();

// ---- Elements
export function h(name, props, ...kids) {
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
export function svg(name, props, ...kids) {
  const el = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(props)) el.setAttribute(key, value);
  el.append(...kids);
  return el;
}
export const icon = name => svg('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true' }, svg('use', { href: '#i-' + name }));
export const marks = { good: 'check', bad: 'cross', warn: 'wait' };
export const say = text => { $('#say').textContent = text; };
export const clock = date => date.toLocaleTimeString(locale, { timeStyle: 'short' }).replace(/\s/g, '\xa0');
export const seconds = date => date.toLocaleTimeString(locale);
export const finder = text => h('input', { type: 'search', placeholder: text, 'aria-label': text, autocomplete: 'off' });
// Draws the content of a box; the focus returns to the button of the same name.
function redrawn(box, draw) {
  const name = el => el.getAttribute('aria-label') || ($('b', el) ?? el).textContent;
  const held = document.activeElement, isHeld = box.contains(held);
  draw();
  if (isHeld && !box.contains(held)) [...box.querySelectorAll('button')].find(it => name(it) === name(held))?.focus({ preventScroll: true });
}
// Draws the content below its search field, which keeps its focus and text.
export function drawBelow(field, content, kids) {
  if (content.firstChild !== field) content.replaceChildren(field);
  redrawn(content, () => {
    while (field.nextSibling) field.nextSibling.remove();
    content.append(...kids);
  });
}
export const bdi = text => h('bdi', null, text);
export const soft = text => h('p.soft', null, text);
export const bad = error => h('p.bad', { role: 'alert' }, error.message);
export const day = date => date.toLocaleDateString(locale, { weekday: 'short', day: 'numeric', month: 'short' });
export const facts = pairs => h('dl.facts', null, ...pairs.filter(([, value]) => value).flatMap(([name, value]) => [h('dt', null, name), h('dd', null, bdi(value))]));
export const button = (kind, text, act) => h('button.' + kind, { type: 'button', onclick: act }, ...[text].flat());
export const round = (label, mark, act) => h('button.round', { type: 'button', 'aria-label': label, onclick: act }, mark);
export const row = (mark, name, text, end, act) => h('li', null, h('button.open', { type: 'button', onclick: act },
  mark, h('span.grow', null, h('b', null, bdi(name)), h('span.soft', null, bdi(text))), end, icon('next')));
// A path or a link at the start keeps its case.
export const sentence = text => (/^[a-z]+([ ,]|$)/.test(text) ? text[0].toUpperCase() + text.slice(1) : text) + (/[.?!]$/.test(text) ? '' : '.');
export const line = (tone, name, text, end) => h('li', null, h('span.mark', { 'data-tone': tone }, icon(marks[tone] === 'cross' ? 'warn' : marks[tone])),
  h('span.grow', null, h('b', null, bdi(name)), h('span.soft', null, bdi(t(text)))), end);
export const card = (title, ...kids) => h('div.card', null, h('h2', null, title), ...kids);

// ---- Requests
// Returns the kiosk's response; throws its reason. A form is sent, everything else is only read.
export async function api(path, form) {
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
export const query = values => '?' + new URLSearchParams(values);
// Calls `hear` with each line of JSON that the kiosk sends.
export async function lines(path, form, signal, hear) {
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
// Does what needs the password, which is asked for unless it was entered in the last minutes.
export async function guarded(path, form, done) {
  try { done(await api(path, form)); } catch (error) {
    if (error.code !== 'again') return void sheet(t('That did not work'), bad(error));
    askPassword(() => guarded(path, form, done));
  }
}
export function askPassword(act) {
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

// ---- Sheets
export function sheet(title, ...kids) {
  const box = $('.sheet');
  redrawn(box, () => box.replaceChildren(h('header', null, h('h2', null, bdi(title)),
    round('Close', icon('cross'), () => box.close())), ...kids.filter(Boolean)));
  if (box.open) return;
  // The browser's Back closes it.
  history.pushState('sheet', '');
  box.showModal();
}
function sheetClosed() {
  if (history.state === 'sheet') history.back();
  pages.get(shown).file?.sheetClosed?.();
}

// ---- The frame around the pages. Each is a file that exports `draw`, which fills the page's content each time it is
// opened. It may export `tools`, the elements beside its title; `isLive`, whether it is drawn again after a change, and
// `isStale`, whether it is at each beat; and `home`, `leave` and `sheetClosed`, called when its link is pressed, when
// another page is opened, and when the sheet is closed.
const titles = { today: 'Today', people: 'People', store: 'Store', broker: 'Broker', device: 'Device' };
export const pages = new Map();
export let shown = 'panel';

const load = name => import(`/${name}.js`).catch(() => import(`/${name}.js?again`))
  .catch(() => { throw new Error(sentence('the kiosk does not respond')); });
function page(name) {
  const content = h('div'), header = h('header', null, h('h1', null, titles[name]));
  const it = { title: titles[name], section: h('section', { id: name, hidden: '' }, header, content) };
  const loading = load(name).then(file => { header.append(...file.tools ?? []); it.file = file; });
  // A failure is shown when the page is drawn.
  loading.catch(() => {});
  it.draw = async () => {
    try {
      await loading;
      await it.file.draw(content);
    } catch (error) { content.replaceChildren(h('div.card', null, bad(error))); }
  };
  return it;
}
function open() {
  const name = location.hash.slice(1).split('?')[0], last = shown;
  shown = pages.has(name) ? name : 'panel';
  if (last !== shown) pages.get(last).file?.leave?.();
  for (const [key, { section, link }] of pages) {
    section.hidden = key !== shown;
    if (key === shown) link.setAttribute('aria-current', 'page'); else link.removeAttribute('aria-current');
  }
  $('.sheet').close();
  pages.get(shown).draw();
}
// Adds the pages with these names beside the panel.
export function frame(names) {
  pages.set('panel', { title: 'Panel', section: panel, draw() {} });
  for (const name of names) pages.set(name, page(name));
  const bar = h('nav.side', { 'aria-label': 'Pages' });
  for (const [name, page] of pages) {
    page.link = h('a', { href: '#' + name, onclick: () => { page.file?.home?.(); if (name === shown) page.draw(); } }, icon(name), h('span', null, page.title));
    bar.append(page.link);
    if (name !== 'panel') $('main').append(page.section);
  }
  document.body.append(bar, h('dialog.sheet', { 'aria-label': 'Details', onclose: sheetClosed }));
  root.classList.add('framed');
  addEventListener('hashchange', open);
  // The entry of a sheet is skipped once that sheet is gone.
  const follow = () => { if (history.state !== 'sheet') $('.sheet').close(); else if (!$('.sheet').open) history.back(); };
  addEventListener('popstate', follow);
  follow();
  open();
}
// Draws the page again after a tap or a change of the state or of the people, at most once a second.
let redraw;
export function redrawSoon() {
  const isLive = () => pages.get(shown)?.file?.isLive?.();
  if (isLive()) redraw ??= setTimeout(() => { redraw = undefined; if (isLive()) pages.get(shown).draw(); }, 1000);
}
export function redrawStale() { if (pages.get(shown)?.file?.isStale?.()) redrawSoon(); }
