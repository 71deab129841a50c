// The broker: the kiosk's connection, a test step by step, live messages, and publishing.

import { $, api, askPassword, bad, bdi, button, card, facts, h, line, lines, locale, panel, plural, seconds, sentence, shown, soft, t } from '/app.js';

const names = { name: 'DNS', tcp: 'TCP', tls: 'TLS', mqtt: 'MQTT' };
const milliseconds = microseconds => microseconds < 100 ? '< ' + t('{} ms', (0.1).toLocaleString(locale))
  : t('{} ms', (microseconds / 1000).toLocaleString(locale, { maximumFractionDigits: 1 }));
// Follows a job of the kiosk until its result; throws the result's reason.
async function job(path, form, stop, hear) {
  let result;
  await lines('/api/broker/' + path, form, stop.signal, it => { if (it.result) result = it.result; else hear(it); });
  if (!result) throw new Error(t('The connection to the kiosk ended.'));
  if (result.error) throw Object.assign(new Error(sentence(result.error)), { code: result.code });
  return result;
}

// ---- The kiosk's connection, and a test of another one
let testing = new AbortController();
const own = h('ul.list'), steps = h('div', { role: 'status' }), figures = h('div');
async function drawOwn() {
  const { broker, outbox } = await api('/api/status');
  own.replaceChildren(line(broker?.good ? 'good' : 'bad', t('Kiosk'), sentence(broker?.text ?? 'no broker')),
    line(outbox ? 'warn' : 'good', outbox ? plural(outbox, '{} message waiting', '{} messages waiting') : t('Nothing is waiting'), ''));
}
async function test() {
  testing.abort();
  const stop = testing = new AbortController();
  const wait = soft('Testing …');
  steps.replaceChildren(wait);
  figures.replaceChildren();
  try {
    const [, result] = await Promise.all([drawOwn(), job('test', {}, stop, ({ endpoint: it }) => {
      if (!it) return;
      wait.before(h('h3', null, bdi(it.url)), h('ul.list', null, ...it.steps.map(step => line(step.good ? 'good' : 'bad', names[step.step] ?? step.step,
        step.good ? step.text : sentence(step.text), h('span.soft', null, milliseconds(step.microseconds))))));
      if (it.found) wait.before(soft(sentence(it.found)));
      if (it.days_left !== null && it.good) wait.before(soft(plural(it.days_left, "The broker's certificate expires in {} day.", "The broker's certificate expires in {} days.")));
    })]);
    if (result.round_trip_microseconds) figures.append(facts([['Response time', milliseconds(result.round_trip_microseconds)]]));
    if (result.sys?.length) figures.append(h('details', null, h('summary', null, "The broker's statistics"),
      h('dl.pairs', null, ...result.sys.flatMap(it => [h('dt', null, bdi(it.topic.replace('$SYS/broker/', ''))), h('dd', null, bdi(it.value))]))));
    wait.textContent = t('Tested at {}, with a client id of its own.', seconds(new Date()));
  } catch (error) { if (!stop.signal.aborted) wait.replaceWith(bad(error)); }
}

// ---- Messages
const filter = h('input', { name: 'filter', value: '#', maxlength: 256, autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false', 'aria-label': 'Topic filter' });
const shownMax = 50;
const list = h('ul.list.messages', { tabindex: 0, 'aria-label': 'Messages' }), count = h('p.soft', { role: 'status' });
const toggle = button('quiet', 'Stop', () => isListening() ? rest() : listen());
let listening = new AbortController(), heard = '', isStopped = false, retry;
listening.abort();
// Whether the messages of the typed filter arrive.
const isListening = () => !listening.signal.aborted && heard === filter.value.trim();
const label = () => { toggle.textContent = t(isListening() ? 'Stop' : 'Listen'); };
filter.oninput = label;
function pause() {
  listening.abort();
  clearTimeout(retry);
  label();
}
function rest() {
  isStopped = true;
  pause();
}
async function listen() {
  pause();
  const stop = listening = new AbortController();
  isStopped = false;
  if (heard !== filter.value.trim()) list.replaceChildren();
  heard = filter.value.trim();
  label();
  count.textContent = t('Connecting …');
  $('.bad', list.parentElement)?.remove();
  try {
    await job('listen', { filter: heard }, stop, it => {
      if (it.subscribed) count.textContent = t('No message yet.');
      if (it.message) showMessage(it.message);
      if (it.received) count.textContent = plural(it.received, '{} message', '{} messages')
        + (it.left_out ? '; ' + t('{} came too fast to be shown', it.left_out) : '');
    });
  } catch (error) {
    if (stop.signal.aborted) return;
    pause();
    count.textContent = '';
    list.after(bad(error));
    // A wrong filter stays wrong; a broker returns.
    if (['usage', 'subscription-refused', 'request-malformed'].includes(error.code)) return;
    test();
    retry = setTimeout(() => { if (shown === 'broker' && !document.hidden) listen(); }, 5000);
  }
}
function showMessage(it) {
  const text = it.text === null ? soft(plural(it.size, '{} byte that is not text', '{} bytes that are not text')) : it.text ? h('code', null, bdi(it.text)) : soft('Empty');
  list.prepend(h('li', null, h('b.grow', null, bdi(it.topic)), it.retained && h('span.chip', null, 'retained'), h('time', null, seconds(new Date(it.time))), text));
  while (list.children.length > shownMax) list.lastChild.remove();
}

// ---- Publish
function publishCard() {
  const box = h('div', { role: 'status' });
  const form = h('form.ask', { onsubmit: event => {
    event.preventDefault();
    publish(Object.fromEntries(new FormData(form)), box);
  } }, h('label', null, 'Topic', h('input', { name: 'topic', required: '', maxlength: 256, autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false' })),
  h('label', null, 'Message', h('input', { name: 'text', autocomplete: 'off', maxlength: 2000 })),
  h('label.check', null, h('input', { type: 'checkbox', name: 'retain', value: '1' }), 'Retained (the broker keeps it)'),
  h('button.main', null, 'Publish'), box);
  return card('Publish', form);
}
async function publish(form, box) {
  box.replaceChildren(soft('Sending …'));
  try {
    const { heard } = await job('publish', form, new AbortController(), () => {});
    box.replaceChildren(soft(heard ? 'The broker has the message.' : heard === false ? 'The broker has the message, but nobody has subscribed to this topic.'
      : 'The broker has acknowledged the message. With MQTT 3.1.1, it does not report whether this was permitted.'));
  } catch (error) {
    if (error.code !== 'again') return box.replaceChildren(bad(error));
    box.replaceChildren(soft('Not sent'));
    askPassword(() => { $('.sheet').close(); publish(form, box); });
  }
}

// ---- The page
export function draw(content) {
  if (!content.firstChild) {
    content.classList.add('beside');
    content.append(h('div', null, card('Connection', own, steps, figures, button('quiet', 'Test again', test)), 'publish' in panel.dataset ? publishCard() : ''),
      card('Messages', h('form.row', { onsubmit: event => { event.preventDefault(); listen(); } }, h('label.grow', null, filter), toggle), list, count));
  }
  test();
  if (!isStopped) listen();
}
export function leave() {
  testing.abort();
  pause();
}
document.addEventListener('visibilitychange', () => {
  if (shown !== 'broker') return;
  if (document.hidden) leave(); else draw($('#broker > div'));
});
