// The store room.

import { $, api, bad, bdi, button, card, drawBelow, facts, finder, h, icon, pages, query, round, row, sheet, soft, t } from '/app.js';

const wantedThing = finder('Find a thing, or type its code');
const newTicket = () => 1 + crypto.getRandomValues(new Uint32Array(1))[0];
// What failed keeps its ticket: it may have been done, and is not done again.
function step(it, by) {
  let ticket = newTicket();
  return round(t(by < 0 ? 'Take one {}' : 'Put back one {}', it.name), by < 0 ? '\u2212' : '+', async () => {
    const mine = ticket;
    ticket = newTicket();
    if (!await changeStore('adjust', { id: it.id, pieces: by, ticket: mine })) ticket = mine;
  });
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
export async function draw(content) {
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
  const { thing: it, contents, notes, place } = await api('/api/store/show' + query({ id }));
  const ask = (title, path, ...fields) => { sheet(title, h('form.ask', { onsubmit: event => {
    event.preventDefault();
    changeStore(path, { id, ...Object.fromEntries(new FormData(event.target)) });
  } }, ...fields.map(([name, label, props]) => h('label', null, label, h('input', { name, autocomplete: 'off', ...props }))), h('button.main', null, 'Save'))); $('.sheet input').focus(); };
  const stepper = one => h('span.step', null, step(one, -1), h('output', one.low ? { 'data-tone': 'warn' } : null, one.quantity), step(one, 1));
  sheet(it.name, facts([['Place', it.path], ['Code', it.code], ['Minimum', it.minimum], ['Notes', notes]]),
    place && button('quiet', [icon('store'), bdi(place.name)], () => showThing(place.id)),
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
        button('quiet', 'Lend', () => ask(t('Lend {}', it.name), 'lend', ['to', 'To whom?', { required: '' }], ['until', 'Until', { type: 'date', min: new Date().toLocaleDateString('sv') }])))), note);
}
// Makes a change, and shows the thing again; a failure is shown where it was asked. Returns whether it was made.
async function changeStore(path, form) {
  const box = $('.sheet');
  let change;
  $('.bad', box)?.remove();
  try { ({ change } = await api('/api/store/' + path, form)); } catch (error) { box.append(bad(error)); return false; }
  const note = h('p.row.done', { role: 'status' }, h('span.grow', null, path === 'undo' ? 'Undone.' : 'Saved.'),
    change && button('quiet', 'Undo', () => changeStore('undo', { change })));
  await showThing(shownThing, note).catch(error => sheet(t('That did not work'), bad(error)));
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
let timer;
wantedThing.oninput = () => { clearTimeout(timer); timer = setTimeout(() => pages.get('store').draw(), 250); };
export const tools = 'BarcodeDetector' in window ? [button('main', 'Scan', scan)] : [];
export const sheetClosed = () => pages.get('store').draw();
