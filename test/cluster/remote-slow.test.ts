import { IPAM } from '../../operator/contract/group';
import type { FakeVitistackApi } from '../support/fake-vitistack-api';
import { eventually } from './support/eventually';
import { applyInstallation } from './support/installation';
import { RemoteAgreement } from './support/remote-agreement';
import { Replicas } from './support/replicas';
import { ServiceScene } from './support/service-scene';
import { ingressOf } from './support/services';
import { useControlPlane } from './support/use-control-plane';
import { startVitistackApi, vitistackStore } from './support/vitistack-api';

const ZONES = { inet: ['83.118.168.0/24', '2a05:1234::/120'] };
const IN = { annotations: { [IPAM.zone]: 'inet' } };
const SETTLED_MS = 120_000;
/** The deadline of an admission, and an answer that comes after it. */
const DEADLINE_SECONDS = 3;
const TOO_LATE_MS = 3_500;
/** Three times as long as nobody asks a server that is away: a minute, scaled. */
const AWAY_MS = 15_000;

let api: FakeVitistackApi;
let replicas: Replicas;
const plane = useControlPlane({
  programs: ['metallb-controller', 'cert-manager'],
  prepare: async (control) => {
    api = await startVitistackApi(control, ZONES);
    await applyInstallation(control, {
      zones: [{ name: 'inet', prefixes: ZONES.inet }],
      store: vitistackStore(api),
      replicas: 2,
      settings: { admissionDeadlineSeconds: DEADLINE_SECONDS, shutdownDelaySeconds: 0, reservationLeaseSeconds: 30 },
    });
    replicas = new Replicas(control);
    await replicas.start(2);
    await scene.open();
    // until the CA of the webhooks is injected and both endpoints are known
    await eventually(() => scene.create('first', IN), SETTLED_MS);
  },
});
const scene = new ServiceScene({ plane, operator: () => replicas.of(replicas.names[0] ?? ''), namespace: 'a' });
const agreement = new RemoteAgreement({
  plane,
  scene,
  holders: () => api.holders().map((each) => each.replace(/\/\d+ /u, ' ')),
});
const addressesOf = (name: string): readonly string[] => api.holders().filter((each) => each.endsWith(` ${name}`));
afterAll(() => api.stop());
afterEach(() => {
  api.fault = () => undefined;
});

describe('two operators on an IPAM-API of version 2', () => {
  test('find what an answer after the deadline gave, when the Service comes again', async () => {
    let slow = 1;
    api.fault = ({ method }) => (method === 'POST' && slow-- > 0 ? { kind: 'slow', ms: TOO_LATE_MS } : undefined);
    const late = await plane().client.attempt('POST', scene.path(), scene.manifest('late', IN));
    expect(late.status).toBeGreaterThanOrEqual(400);
    await eventually(() => addressesOf('late').length === 1, SETTLED_MS);
    const [given = ''] = addressesOf('late');
    await eventually(() => scene.create('late', IN), SETTLED_MS);
    expect(ingressOf(await scene.ready('late'))).toEqual([given.split('/')[0]]);
    await agreement.reached();
    expect(addressesOf('late')).toEqual([given]);
  });

  test('give back once what is given back slowly', async () => {
    await scene.create('leaving', IN);
    await scene.ready('leaving');
    let slow = 2;
    api.fault = ({ method }) => (method === 'DELETE' && slow-- > 0 ? { kind: 'slow', ms: TOO_LATE_MS } : undefined);
    await scene.remove('leaving');
    await agreement.reached();
    expect(addressesOf('leaving')).toEqual([]);
  });

  test('share the work when many Services come at once, and no address comes twice', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `many-${String(index)}`);
    await Promise.all(names.map((name) => scene.create(name, IN)));
    for (const name of names) await scene.ready(name);
    await agreement.reached();
    const addresses = api.holders().map((each) => each.split(' ')[0]);
    expect(new Set(addresses).size).toBe(addresses.length);
    for (const name of names.slice(2)) await scene.remove(name);
    await agreement.reached();
  });

  test('refuse fast while it is away for long, delete all the same, and make up for it afterwards', async () => {
    await api.stop();
    const endMs = Date.now() + AWAY_MS;
    await scene.remove('many-0');
    await scene.annotate('many-1', { [IPAM.retentionPeriodDays]: '3' });
    let slowestMs = 0;
    for (let count = 0; Date.now() < endMs; count += 1) {
      const beginMs = Date.now();
      const name = `early-${String(count % 3)}`;
      const { status } = await plane().client.attempt('POST', scene.path(), scene.manifest(name, IN));
      slowestMs = Math.max(slowestMs, Date.now() - beginMs);
      expect(status).toBeGreaterThanOrEqual(400);
      await new Promise((resolve) => setTimeout(resolve, 500)); // users who try again
    }
    expect(slowestMs).toBeLessThan((DEADLINE_SECONDS + 2) * 1_000);
    await api.start(500);
    for (const name of ['early-0', 'early-1', 'early-2']) {
      await eventually(() => scene.create(name, IN), SETTLED_MS);
      await scene.ready(name);
    }
    await agreement.reached();
    const told = () => api.store.records.flatMap(({ services }) => services).find(({ name }) => name === 'many-1');
    await eventually(() => told()?.retention === 3, SETTLED_MS);
  });

  test('go on when the leader is lost in the middle of a call', async () => {
    const leader = await replicas.leader();
    const before = api.seen.length;
    api.fault = ({ method }) => (method === 'POST' ? { kind: 'slow', ms: 1_000 } : undefined);
    const creating = plane().client.attempt('POST', scene.path(), scene.manifest('cut', IN));
    await eventually(() => api.seen.length > before);
    await replicas.lose(leader);
    await creating;
    api.fault = () => undefined;
    await eventually(async () => {
      const { status } = await plane().client.attempt('POST', scene.path(), scene.manifest('cut', IN));
      return status < 300 || status === 409;
    }, SETTLED_MS);
    await scene.ready('cut', SETTLED_MS);
    await scene.remove('first');
    await agreement.reached();
    expect(addressesOf('cut')).toHaveLength(1);
  });
});
