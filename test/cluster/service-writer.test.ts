import { SYSTEM_CLOCK } from '../../operator/backends/system/system-clock';
import type { ApiClient } from '../../operator/cluster/api/api-client';
import { KubernetesEventRecorder } from '../../operator/cluster/objects/event-recorder';
import { KubernetesServiceWriter } from '../../operator/cluster/objects/service-writer';
import type { ServiceKey } from '../../operator/ports/service-feed';
import type { ServiceCondition } from '../../operator/ports/service-writer';
import { RecordedLogger } from '../support/recorded-telemetry';
import type { KubeObject } from './support/cluster-client';
import { openOperatorClient } from './support/operator-client';
import { useControlPlane } from './support/use-control-plane';

const SERVICES = '/api/v1/namespaces/default/services';
const CONDITION: ServiceCondition = {
  type: 'ipam.vitistack.io/AddressReady',
  status: 'False',
  reason: 'PoolExhausted',
  message: 'no address is free',
  lastTransitionTime: '2026-01-01T00:00:00Z',
};

let api: ApiClient;
let writer: KubernetesServiceWriter;
const logger = new RecordedLogger();

const plane = useControlPlane({
  prepare: async (plane) => {
    api = await openOperatorClient(plane);
    const events = new KubernetesEventRecorder({
      client: api,
      clock: SYSTEM_CLOCK,
      logger,
      identity: 'ipam-operator-0',
    });
    writer = new KubernetesServiceWriter({ client: api, events });
  },
});

async function make(name: string, metadata: Readonly<Record<string, unknown>> = {}): Promise<ServiceKey> {
  const spec = { type: 'LoadBalancer', ports: [{ port: 80 }] };
  const body = { apiVersion: 'v1', kind: 'Service', metadata: { name, ...metadata }, spec };
  const { metadata: made } = await plane().client.request('POST', SERVICES, body);
  return { namespace: 'default', name, uid: made.uid };
}

const read = (name: string): Promise<KubeObject> => plane().client.request('GET', `${SERVICES}/${name}`);

async function remade({ name }: ServiceKey): Promise<void> {
  await plane().client.request('DELETE', `${SERVICES}/${name}`);
  await make(name, { finalizers: ['example.com/old'] });
}

const NOT_FOUND = { ok: false, refusal: { code: 'claim/not-found' } };

describe('KubernetesServiceWriter on a real API server', () => {
  test('sets and takes away annotations and leaves the spec and other keys alone', async () => {
    const key = await make('annotated', { annotations: { 'example.com/theirs': '1', 'metallb.io/address-pool': 'x' } });
    const { spec } = await read('annotated');
    const change = { 'metallb.io/address-pool': null, 'metallb.io/loadBalancerIPs': '192.0.2.1' };
    expect(await writer.annotate(key, change)).toEqual({ ok: true, value: undefined });
    const { metadata, spec: after } = await read('annotated');
    expect(metadata.annotations).toEqual({ 'example.com/theirs': '1', 'metallb.io/loadBalancerIPs': '192.0.2.1' });
    expect(after).toEqual(spec);
    expect(await writer.annotate(key, change)).toMatchObject({ ok: true });
    expect((await read('annotated')).metadata.resourceVersion).toBe(metadata.resourceVersion);
  });

  test('has no right to write the Service itself', async () => {
    const key = await make('guarded');
    const answer = await api.request({
      method: 'PATCH',
      path: `${SERVICES}/${key.name}`,
      contentType: 'application/merge-patch+json',
      body: { metadata: { labels: { a: 'b' } } },
    });
    expect(answer).toMatchObject({ ok: false, status: 403 });
  });

  test('writes nothing over a version that is not the newest', async () => {
    const key = await make('versioned');
    const { resourceVersion } = (await read('versioned')).metadata;
    expect(await writer.annotate(key, { 'example.com/a': '1' }, { resourceVersion })).toMatchObject({ ok: true });
    expect(await writer.annotate(key, { 'example.com/a': '2' }, { resourceVersion })).toMatchObject({
      refusal: { code: 'store/conflict' },
    });
    expect((await read('versioned')).metadata.annotations).toEqual({ 'example.com/a': '1' });
  });

  test('writes nothing to a Service that was made anew under its name', async () => {
    const key = await make('anew');
    const { resourceVersion } = (await read('anew')).metadata;
    await remade(key);
    const before = await read('anew');
    expect(await writer.annotate(key, { 'example.com/a': '1' })).toMatchObject(NOT_FOUND);
    expect(await writer.annotate(key, { 'example.com/a': '1' }, { resourceVersion })).toMatchObject(NOT_FOUND);
    expect(await writer.condition(key, CONDITION)).toMatchObject(NOT_FOUND);
    expect(await writer.condition(key, undefined)).toMatchObject(NOT_FOUND);
    expect(await read('anew')).toEqual(before);
  });

  test('writes nothing for a Service that is gone', async () => {
    const key = await make('gone');
    await plane().client.request('DELETE', `${SERVICES}/gone`);
    expect(await writer.annotate(key, { 'example.com/a': '1' })).toMatchObject(NOT_FOUND);
    expect(await writer.condition(key, CONDITION)).toMatchObject(NOT_FOUND);
    expect(await writer.condition(key, undefined)).toMatchObject(NOT_FOUND);
    expect((await plane().client.attempt('GET', `${SERVICES}/gone`)).status).toBe(404);
  });

  test('keeps its condition beside those of others, without a write when nothing changed, and takes it away', async () => {
    const key = await make('conditioned');
    const theirs = { ...CONDITION, type: 'example.com/Theirs' };
    const status = { conditions: [theirs], loadBalancer: { ingress: [{ ip: '192.0.2.9', ipMode: 'VIP' }] } };
    await plane().client.request('PATCH', `${SERVICES}/conditioned/status`, { status }, 'merge');
    await writer.condition(key, CONDITION);
    const first = await read('conditioned');
    expect(first.status).toMatchObject({ conditions: [theirs, CONDITION], loadBalancer: status.loadBalancer });
    await writer.condition(key, CONDITION);
    expect((await read('conditioned')).metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    await writer.condition(key, { ...CONDITION, status: 'True', reason: 'Ready', message: '192.0.2.9' });
    expect((await read('conditioned')).status?.['conditions']?.[1]).toMatchObject({ status: 'True', reason: 'Ready' });
    await writer.condition(key, undefined);
    const last = await read('conditioned');
    expect(last.status).toEqual(status);
    expect(JSON.stringify(last.metadata)).not.toContain('ipam-operator');
  });

  test('writes nothing to take away a condition that was never there', async () => {
    const key = await make('bare');
    const before = await read('bare');
    expect(await writer.condition(key, undefined)).toMatchObject({ ok: true });
    expect(await read('bare')).toEqual(before);
  });

  test('records Events that kubectl shows at the Service, equal ones with their count', async () => {
    const key = await make('told');
    const event = { type: 'Warning', reason: 'PoolExhausted', message: 'no address is free' } as const;
    for (let turn = 0; turn < 3; turn++) await writer.event(key, event);
    await writer.event(key, { ...event, message: 'ü'.repeat(2000) });
    expect(logger.lines).toEqual([]);
    const shown = await plane().kubectl('describe', 'service', 'told');
    expect(shown).toMatch(
      /Warning\s+PoolExhausted\s.*\(x3 over .*ipam.vitistack.io\/ipam-operator.*no address is free/u,
    );
    expect(shown).toMatch(/ü…/u);
  });

  test('only debugs about Events of a namespace that is gone', async () => {
    const key = { namespace: 'never', name: 'x', uid: '6f9b7c0a-1f5e-4b7e-9a43-0d6c5a1f3c11' };
    await writer.event(key, { type: 'Normal', reason: 'Ready', message: 'x' });
    expect(logger.lines.splice(0)).toMatchObject([{ level: 'debug', fields: { code: 'NotFound' } }]);
  });
});
