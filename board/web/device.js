// Device: the kiosk's parts, and what is the matter with them.

import { $, api, bdi, button, card, day, guarded, h, icon, line, plural, sentence, sheet, soft, t } from '/app.js';

const parts = { reader: 'Reader', broker: 'Broker', disk: 'Disk', panel: 'Buttons and lights', webhooks: 'Webhooks', rooms: 'Rooms', inventory: 'Store room', site: 'Site' };
export async function draw(content) {
  const status = await api('/api/status'), { devices } = await api('/api/devices');
  const known = Object.entries(parts).filter(([key]) => status[key]).map(([key, name]) => ({ name: t(name), ...status[key] }));
  const ill = known.filter(part => !part.good);
  const days = Math.floor(status.uptime_seconds / 86400);
  const waits = status.outbox + (status.webhooks?.waiting ?? 0);
  content.replaceChildren(...[
    card(ill.length ? plural(ill.length, '{} part needs you', '{} parts need you') : 'All is well',
      h('ul.list', null, ...[...ill, ...known.filter(part => part.good)].map(part => line(part.good ? 'good' : 'bad', part.name, sentence(part.text))),
        status.clock.needed && !status.clock.good && line('warn', t('Clock'), 'Not set; hours and expiry need it.'))),
    card('Messages', h('ul.list', null,
      line(waits ? 'warn' : 'good', waits ? plural(waits, '{} message waiting', '{} messages waiting') : t('Nothing is waiting'),
        status.set_aside ? plural(status.set_aside, '{} message set aside after a refusal.', '{} messages set aside after a refusal.') : 'No message was set aside.',
        status.set_aside > 0 && button('quiet', 'Try again', () => guarded('/api/outbox/retry', {}, () => draw(content)))))),
    status.certificates.length > 0 && card('Certificates', h('ul.list', null, ...status.certificates.map(it =>
      line(it.days_left < 0 ? 'bad' : it.days_left < 30 ? 'warn' : 'good', it.subject, it.days_left < 0 ? 'Expired.' : plural(it.days_left, 'Expires in {} day.', 'Expires in {} days.'))))),
    status.outputs.length > 0 && card('Outputs', h('ul.list', null, ...status.outputs.map(it =>
      line(it.good ? 'good' : 'bad', it.name, it.good ? it.on ? 'On.' : 'Off.' : 'Cannot be switched.')))),
    card('Browsers that may use this page', h('ul.list', null, ...devices.map(it => h('li', null, h('span.mark', null, icon('panel')),
      h('span.grow', null, h('b', null, bdi(it.device)), h('span.soft', null, t('{}, since {}', t(it.level), day(new Date(it.paired * 1000))))),
      button('quiet', 'Remove', () => sheet(t('Remove {}', it.device), soft('It has to be paired again at the kiosk.'),
        h('button.danger', { type: 'button', onclick: () => guarded('/api/device/remove', { name: it.device }, () => { $('.sheet').close(); draw(content); }) }, 'Remove'))))))),
    soft(t('Tappet {}, running for {}.', status.version, days ? plural(days, '{} day', '{} days') : t('less than a day'))),
  ].filter(Boolean));
}
export const isLive = () => true;
