import { leftAloneServices, LeftOutNotices } from '../../../../../operator/front-doors/services/controller/left-alone';
import { readStored } from '../../../../../operator/front-doors/services/controller/stored-object';
import { parseZones } from '../../../../../operator/contract/zones';
import type { ServiceEvent } from '../../../../../operator/ports/service-writer';
import { RecordedLogger } from '../../../../support/recorded-telemetry';

const ZONE = { 'ipam.vitistack.io/zone': 'z' };

function parts(defaultZone?: string) {
  const services = defaultZone === undefined ? {} : { services: { defaultZone } };
  const zones = parseZones({ version: 1, ...services, zones: [{ name: 'z', prefixes: ['10.0.0.0/24'] }] });
  if (!zones.ok) throw new RangeError('the zones are wrong');
  const settings = { loadBalancerClasses: [], excludedNamespaces: ['kube-system', 'monitoring', 'mine'] };
  return { settings, zones: { current: () => zones.value } };
}

function stored(place: string, annotations = {}, ip?: string) {
  const [namespace = '', name = ''] = place.split('/');
  return {
    metadata: { name, namespace, uid: name, annotations },
    spec: { type: 'LoadBalancer' },
    status: { loadBalancer: ip === undefined ? {} : { ingress: [{ ip }] } },
  };
}

describe('leftAloneServices', () => {
  const all = [
    stored('monitoring/asks', ZONE),
    stored('mine/by-metallb', { 'metallb.io/loadBalancerIPs': '10.0.0.3' }),
    stored('monitoring/quiet', {}, '192.0.2.1'),
    stored('apps/elsewhere', {}, '192.0.2.2'),
    stored('apps/served', ZONE, '10.0.0.1'),
    stored('kube-system/system'),
  ];

  test('FU-67 lists who asks in vain, and whom the default zone and an opened namespace would reach', () => {
    expect(leftAloneServices(parts('z'), all)).toEqual([
      { namespace: 'monitoring', name: 'asks', because: 'namespace', asks: true, addresses: [] },
      { namespace: 'mine', name: 'by-metallb', because: 'namespace', asks: true, addresses: [] },
      { namespace: 'monitoring', name: 'quiet', because: 'namespace', asks: false, addresses: ['192.0.2.1'] },
      { namespace: 'apps', name: 'elsewhere', because: 'served-elsewhere', asks: false, addresses: ['192.0.2.2'] },
    ]);
  });

  test('FU-67 lists without a default zone only who asks', () => {
    expect(leftAloneServices(parts(), all).map(({ name }) => name)).toEqual(['asks', 'by-metallb']);
  });
});

describe('LeftOutNotices', () => {
  test('FU-67 tells a Service of a namespace that is left out once, and only where it asks', async () => {
    const events: string[] = [];
    const event = ({ name }: { readonly name: string }, { reason }: ServiceEvent): Promise<void> => {
      events.push(`${name}: ${reason}`);
      return Promise.resolve();
    };
    const notices = new LeftOutNotices({ ...parts('z'), writer: { event }, logger: new RecordedLogger() });
    for (const raw of [stored('monitoring/asks', ZONE), stored('monitoring/quiet'), stored('apps/open', ZONE)]) {
      const object = readStored(raw);
      if (object === undefined) throw new RangeError('no Service');
      const { name, namespace } = raw.metadata;
      for (let i = 0; i < 2; i++) await notices.tell(object, { name, namespace, uid: name });
    }

    expect(events).toEqual(['asks: NamespaceLeftOut']);
  });
});
