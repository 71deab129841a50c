// Device: the kiosk's parts, and what is the matter with them.

import { $, api, askPassword, bad, bdi, button, card, day, guarded, h, icon, line, lines, plural, seconds, sentence, sheet, soft, t } from '/app.js';
import { inputs, inputText, levelWord, stamp } from '/panel.js';

const parts = { reader: 'Reader', broker: 'Broker', disk: 'Disk', panel: 'Buttons and lights', webhooks: 'Webhooks', rooms: 'Rooms', inventory: 'Store room', site: 'Site' };
export async function draw(content) {
  const status = await api('/api/status'), { devices } = await api('/api/devices');
  const known = Object.entries(parts).filter(([key]) => status[key]).map(([key, name]) => ({ name: t(name), ...status[key] }));
  const ill = known.filter(part => !part.good);
  const days = Math.floor(status.uptime_seconds / 86400);
  const waits = status.outbox + (status.webhooks?.waiting ?? 0);
  content.replaceChildren(...[
    card(ill.length ? plural(ill.length, '{} part needs attention', '{} parts need attention') : 'All is well',
      h('ul.list', null, ...[...ill, ...known.filter(part => part.good)].map(part => line(part.good ? 'good' : 'bad', part.name, sentence(part.text))),
        status.clock.needed && !status.clock.good && line('warn', t('Clock'), 'Not set; hours and expiry need it.'))),
    inputs.length > 0 && card('Doors', h('ul.list', null, ...inputs.map(it => line(it.tone, it.input, inputText(it))))),
    card('Messages', h('ul.list', null,
      line(waits ? 'warn' : 'good', waits ? plural(waits, '{} message waiting', '{} messages waiting') : t('Nothing is waiting'),
        status.set_aside ? plural(status.set_aside, '{} message set aside after a refusal.', '{} messages set aside after a refusal.') : 'No message was set aside.',
        status.set_aside > 0 && button('quiet', 'Try again', () => guarded('/api/outbox/retry', {}, () => draw(content)))))),
    status.certificates.length > 0 && card('Certificates', h('ul.list', null, ...status.certificates.map(it =>
      line(it.days_left < 0 ? 'bad' : it.days_left < 30 ? 'warn' : 'good', it.subject, it.days_left < 0 ? 'Expired.' : plural(it.days_left, 'Expires in {} day.', 'Expires in {} days.'))))),
    status.outputs.length > 0 && card('Outputs', h('ul.list', null, ...status.outputs.map(it =>
      line(it.good ? 'good' : 'bad', it.name, it.good ? levelWord(it.kind, it.on !== (it.kind === 'lock' && it.safe)) : 'Cannot be switched',
        it.good && button('quiet', it.kind !== 'switch' ? 'Pulse' : it.on ? 'Switch off' : 'Switch on', () =>
          guarded('/press', { output: it.name, do: it.kind !== 'switch' ? 'pulse' : it.on ? 'off' : 'on', ...stamp() }, () => draw(content))))))),
    card('Browsers that may use this page', h('ul.list', null, ...devices.map(it => h('li', null, h('span.mark', null, icon('panel')),
      h('span.grow', null, h('b', null, bdi(it.device)), h('span.soft', null, t('{}, since {}', t(it.level), day(new Date(it.paired * 1000))))),
      button('quiet', 'Remove', () => sheet(t('Remove {}', it.device), soft('It has to be paired again at the kiosk.'),
        button('danger', 'Remove', () => guarded('/api/device/remove', { name: it.device }, () => { $('.sheet').close(); draw(content); })))))))),
    h('p.row', null, button('quiet', 'Log', showLog), status.broker && button('quiet', 'All kiosks', () => showKiosks(status.client_id)), button('quiet', 'Back up …', askBackup)),
    soft(t('Tappet {}, running for {}.', status.version, days ? plural(days, '{} day', '{} days') : t('less than a day'))),
  ].filter(Boolean));
}
const tones = { error: 'bad', warning: 'warn' };
async function showLog() {
  try {
    const { records } = await api('/api/log');
    sheet(t('Log'), soft('In English, as at the kiosk; commands are for its terminal.'), h('ul.list', null, ...records.map(it => line(tones[it.priority] ?? 'good', `${day(new Date(it.time))} ${seconds(new Date(it.time))}`, sentence(it.text)))));
  } catch (error) { sheet(t('Log'), bad(error)); }
}
// Returns the result of a job, which ends when its sheet is closed; nothing then, or once a failure is shown.
async function job(title, note, path, form, hear, again) {
  const stop = new AbortController();
  sheet(t(title), soft(note));
  $('.sheet').addEventListener('close', () => stop.abort(), { once: true });
  let result;
  try {
    await lines(path, form, stop.signal, it => { if (it.result) result = it.result; else hear?.(it); });
    if (!result) throw new Error(t('Connection to the kiosk lost. Try again when it is back.'));
    if (result.error) throw new Error(sentence(result.error));
    return result;
  } catch (error) {
    if (stop.signal.aborted) return;
    if (error.code === 'again') askPassword(again); else sheet(t('That did not work'), bad(error));
  }
}
async function showKiosks(own) {
  const result = await job('All kiosks', 'Asking the broker …', '/api/fleet', {});
  result?.kiosks.sort((a, b) => (b.client_id === own) - (a.client_id === own));
  if (result) sheet(t('All kiosks'), h('ul.list', null, ...result.kiosks.map(it => line(it.trouble ? 'bad' : it.online ? 'good' : 'warn', it.client_id,
    it.trouble ? sentence(it.trouble.text) : it.online ? 'Connected' : 'Not connected', it.version && h('span.soft', null, bdi(it.version))))),
    result.more > 0 && soft(plural(result.more, '{} more', '{} more')));
}

// ---- A backup, which the browser keeps as a file
function askBackup() {
  const fields = ['Passphrase (at least 8 characters)', 'The same again'].map(name => h('label', null, name, h('input', { type: 'password', minlength: 8, maxlength: 1024, required: '', autocomplete: 'new-password' })));
  const [first, second] = fields.map(field => $('input', field)), note = h('p.bad', { role: 'alert' });
  const form = h('form.ask', null, h('input', { hidden: '', autocomplete: 'username', value: 'backup' }), soft('The file contains the kiosk’s keys, people and settings. Only this passphrase opens it.'), ...fields, note, button('main', 'Back up'));
  $('.main', form).type = 'submit';
  form.addEventListener('submit', event => {
    event.preventDefault();
    if (first.value === second.value) backUp(first.value); else note.textContent = t('The two are not the same.');
  });
  sheet(t('Back up'), form);
  first.focus();
}
async function backUp(passphrase) {
  const parts = [];
  const result = await job('Back up', 'Making the backup …', '/api/backup', { passphrase }, it => {
    if (it.part) parts.push(Uint8Array.from(it.part.match(/../g), digits => parseInt(digits, 16)));
  }, () => backUp(passphrase));
  if (!result) return;
  const file = new Blob(parts), href = URL.createObjectURL(file);
  if (file.size !== result.size) return sheet(t('That did not work'), soft('Connection to the kiosk lost. Try again when it is back.'));
  h('a', { href, download: `tappet-${new Date().toISOString().slice(0, 10)}.backup` }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60000);
  sheet(t('Back up'), soft('Your browser has the file. Keep it somewhere else, and its passphrase somewhere else again.'), h('p', null, bdi(sentence(result.summary))),
    h('h3', null, 'Not in it'), h('ul.list', null, ...result.missing.map(it => h('li', null, bdi(it)))));
}
export const isLive = () => true;
