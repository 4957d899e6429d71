import { IPAM } from '../../operator/contract/group';
import type { FakeVitistackApi } from '../support/fake-vitistack-api';
import { eventually } from './support/eventually';
import { applyInstallation } from './support/installation';
import { startOperator, type RunningOperator } from './support/operator-process';
import { RemoteAgreement } from './support/remote-agreement';
import { ServiceScene } from './support/service-scene';
import { conditionOf, ingressOf } from './support/services';
import { useControlPlane } from './support/use-control-plane';
import { startVitistackApi, vitistackStore } from './support/vitistack-api';

const ZONES = { inet: ['83.118.168.0/24', '2a05:1234::/120'] };
const IN = { annotations: { [IPAM.zone]: 'inet' } };
const SETTLED_MS = 120_000;

let api: FakeVitistackApi;
let operator: RunningOperator;
const plane = useControlPlane({
  programs: ['metallb-controller', 'cert-manager'],
  prepare: async (control) => {
    api = await startVitistackApi(control, ZONES);
    await applyInstallation(control, {
      zones: [{ name: 'inet', prefixes: ZONES.inet }],
      store: vitistackStore(api),
      replicas: 1,
    });
    operator = await startOperator(control, {
      args: { 'shutdown-delay': '0', 'reservation-lease': '30', resync: '10' },
    });
    await scene.open();
  },
});
const scene = new ServiceScene({ plane, operator: () => operator, namespace: 'a' });
afterAll(() => api.stop());
afterEach(() => {
  api.fault = () => undefined;
});

const agreement = new RemoteAgreement({
  plane,
  scene,
  holders: () => api.holders().map((each) => each.replace(/\/\d+ /u, ' ')),
});
const agreed = (): Promise<void> => agreement.reached();

describe('an operator on an IPAM-API of version 2', () => {
  test('registers, goes dual, and gives back', async () => {
    await scene.create('web', IN);
    await scene.create('both', { annotations: { ...IN.annotations, [IPAM.ipFamily]: 'dual' } });
    await scene.ready('web');
    expect(ingressOf(await scene.ready('both'))).toHaveLength(2);
    await agreed();
    await scene.remove('both');
    await agreed();
    expect(api.holders()).toHaveLength(1);
  });

  test('serves a Service whose name the API server makes', async () => {
    const manifest = scene.manifest('', IN);
    const { name: _none, ...metadata } = manifest.metadata;
    const made = await plane().client.request('POST', scene.path(), {
      ...manifest,
      metadata: { ...metadata, generateName: 'gen-' },
    });
    await scene.ready(made.metadata.name);
    await agreed();
    expect(api.holders().join()).toContain(` ${made.metadata.name}`);
  });

  test('W-04 deletes while the IPAM-API is away, and tells it afterwards', async () => {
    await scene.create('gone', IN);
    await scene.ready('gone');
    await api.stop();
    await scene.remove('gone');
    const refused = await plane().client.attempt('POST', scene.path(), scene.manifest('early', IN));
    expect(refused.status).toBeGreaterThanOrEqual(400);
    await api.start(500);
    await agreed();
    expect(api.holders().join()).not.toMatch(/gone|early/u);
  });

  test('takes no second address when an answer is lost', async () => {
    let cuts = 0;
    api.fault = ({ method }) => (method === 'POST' && cuts++ === 0 ? { kind: 'reset', committed: true } : undefined);
    await scene.create('cut', IN);
    await scene.ready('cut');
    await agreed();
    expect(cuts).toBeGreaterThan(1);
  });

  test('rotates a secret, and joins the address of another cluster by it', async () => {
    await scene.secret('old', 'the-old-secret');
    await scene.secret('next', 'the-next-secret');
    await scene.create('any', { annotations: { ...IN.annotations, [IPAM.secret]: 'old' } });
    await scene.ready('any');
    await scene.annotate('any', { [IPAM.secret]: 'next' });
    const secrets = (): readonly string[] => api.store.records.map(({ secret }) => secret);
    await eventually(() => secrets().includes('the-next-secret') && !secrets().includes('the-old-secret'));
    const far = {
      ...({ secret: 'the-next-secret', zone: 'inet', ip_family: 'ipv4', address: '83.118.168.77' } as const),
      service: { service_name: 'far', namespace_id: 'n9', cluster_id: 'c9' },
    };
    api.store.register(far);
    const at = { [IPAM.addresses]: '83.118.168.77' };
    const wrong = { annotations: { ...IN.annotations, ...at, [IPAM.secret]: 'old' } };
    expect((await plane().client.attempt('POST', scene.path(), scene.manifest('thief', wrong))).status).toBe(403);
    await scene.create('near', { annotations: { ...IN.annotations, ...at, [IPAM.secret]: 'next' } });
    expect(ingressOf(await scene.ready('near'))).toEqual(['83.118.168.77']);
    expect(api.holders()).toEqual(expect.arrayContaining(['83.118.168.77/32 far', '83.118.168.77/32 near']));
    api.store.release(far, 0);
    await agreed();
  });

  test('EXT-01 loses and doubles nothing when it is killed between its intent and the answer', async () => {
    const before = api.seen.length;
    api.fault = ({ method }) => (method === 'POST' ? { kind: 'slow', ms: 1_500 } : undefined);
    const creating = plane().client.attempt('POST', scene.path(), scene.manifest('killed', IN));
    await eventually(() => api.seen.length > before);
    await operator.kill('SIGKILL');
    expect((await creating).status).toBeGreaterThanOrEqual(400);
    api.fault = () => undefined;
    await operator.restart();
    await eventually(() => scene.create('killed', IN), SETTLED_MS);
    await scene.ready('killed');
    await agreed();
    expect(api.holders().filter((each) => each.endsWith(' killed'))).toHaveLength(1);
  });

  test('registers again what an IPAM-API from an older backup does not know, and moves nothing that it gave to others', async () => {
    for (const name of ['kept', 'contested']) await scene.create(name, IN);
    const [kept = '', contested = ''] = await Promise.all(
      ['kept', 'contested'].map(async (name) => ingressOf(await scene.ready(name))[0]),
    );
    await api.stop();
    const isOf = (address: string) => (each: { readonly address: string }) => each.address === `${address}/32`;
    api.store.records = api.store.records.filter((each) => !isOf(kept)(each) && !isOf(contested)(each));
    const far = {
      ...({ secret: 'the-secret-of-others', zone: 'inet', ip_family: 'ipv4', address: contested } as const),
      service: { service_name: 'far', namespace_id: 'n9', cluster_id: 'c9' },
    };
    api.store.register(far);
    await api.start(500);
    await eventually(() => api.holders().includes(`${kept}/32 kept`), SETTLED_MS);
    const flagged = await scene.when('contested', (each) => conditionOf(each)?.reason === 'AddressForeign', SETTLED_MS);
    expect([conditionOf(flagged)?.status, ingressOf(flagged)]).toEqual(['True', [contested]]);
    expect(await scene.event('contested', 'AddressForeign')).toMatchObject({ type: 'Warning' });
    const told = 'ipam_services_kept{zone="inet",reason="AddressForeign"} 1';
    await eventually(async () => (await operator.metrics()).includes(told));
    expect(api.holders()).toContain(`${contested}/32 far`);
    api.store.release(far, 0);
    await scene.when('contested', (each) => conditionOf(each)?.reason === 'Bound', SETTLED_MS);
    expect(ingressOf(await scene.get('kept'))).toEqual([kept]);
    await agreed();
  });

  test('keeps every address over a restart, and gives the rest back at the end', async () => {
    const before = await agreement.services();
    await operator.kill('SIGKILL');
    await operator.restart({ leaseStands: true });
    await agreed();
    expect(await agreement.services()).toEqual(before);
    for (const name of new Set(before.map((each) => each.split(' ')[1] ?? ''))) await scene.remove(name);
    await agreed();
    // its worker comes twice a second
    await eventually(() => api.store.records.length === 0);
    expect(await agreement.intents()).toEqual([]);
  });
});
