import { MAX_TABLE_BYTES } from '../../operator/backends/claim-objects/decision-size';
import { SYSTEM_CLOCK } from '../../operator/backends/system/system-clock';
import { openKubeClient } from '../../operator/cluster/api/kube-client';
import { KubernetesEventRecorder } from '../../operator/cluster/objects/event-recorder';
import { KubernetesObjectWriter } from '../../operator/cluster/objects/object-writer';
import { ADDRESS_CLAIM } from '../../operator/contract/kinds/address-claim';
import { ADDRESS_TABLE } from '../../operator/contract/kinds/address-table';
import { metadataOf, textOf } from '../../operator/contract/loose-json';
import { valueOf } from '../../operator/errors/ipam-error';
import type { EventRecorder } from '../../operator/ports/event-recorder';
import type { ObjectWriter } from '../../operator/ports/object-writer';
import { refusalOf } from '../support/claim-requests';
import { objectWriterSuite, WRITTEN_KIND } from '../support/object-writer-suite';
import { RecordedLogger } from '../support/recorded-telemetry';
import { installKinds } from './support/kinds';
import { useControlPlane } from './support/use-control-plane';

const TABLE_KIND = {
  apiVersion: `${ADDRESS_TABLE.group}/${ADDRESS_TABLE.version}`,
  kind: ADDRESS_TABLE.kind,
  resource: ADDRESS_TABLE.plural,
};
const MIB = 1024 * 1024;

/** Decisions of a table that have about so many bytes. */
function decisionsOf(bytes: number): readonly object[] {
  const after = 'x'.repeat(16_000);
  const writes = Array.from({ length: 16 }, (_, i) => ({ name: `default.10.0.0.${i}`, after }));
  const count = Math.ceil(bytes / (writes.length * after.length));
  return Array.from({ length: count }, (_, i) => ({
    id: `d${i}`,
    writer: 'w',
    since: '2026-01-01T00:00:00Z',
    writes,
  }));
}

const logger = new RecordedLogger();
let writer: ObjectWriter;
let tables: ObjectWriter;
let events: EventRecorder;
const plane = useControlPlane({
  prepare: async (plane) => {
    await installKinds(plane.client, [ADDRESS_CLAIM, ADDRESS_TABLE]);
    const client = await openKubeClient({ kubeconfig: plane.kubeconfig, clock: SYSTEM_CLOCK, logger });
    plane.onStop(() => client.close());
    writer = new KubernetesObjectWriter(client, WRITTEN_KIND);
    tables = new KubernetesObjectWriter(client, TABLE_KIND);
    events = new KubernetesEventRecorder({ client, clock: SYSTEM_CLOCK, logger, identity: 'ipam-operator-0' });
  },
});

describe('KubernetesObjectWriter on a real API server', () => {
  objectWriterSuite(() => writer);

  test('stores objects that an Event can be about, whatever the length of their name', async () => {
    const network = `${'n'.repeat(63)}.${'n'.repeat(63)}.${'n'.repeat(63)}.${'n'.repeat(17)}`;
    const name = `${network}.2001.0db8.0000.0000.0000.0000.0000.0000-127`;
    const spec = { network, address: '2001:db8::/127', door: 'networks', state: 'bound', key: 'k' };
    const { object } = valueOf(await writer.create({ metadata: { name }, spec }));
    const regarding = { ...WRITTEN_KIND, namespace: '', name, uid: textOf(metadataOf(object)['uid']) };
    await events.record(regarding, { type: 'Warning', reason: 'PoolExhausted', message: 'full' });

    expect(logger.lines).toEqual([]);
    expect(await plane().kubectl('describe', 'addressclaim', name)).toMatch(/Warning\s+PoolExhausted\s.*full/u);
  });

  test.each([
    ['etcd takes', 1.7],
    ['the API server sends to etcd', 2.5],
    ['the API server takes', 4],
  ])('refuses an object of more bytes than %s, and says so at once', async (_, size) => {
    const startMs = Date.now();
    const name = `large-${size}`;
    const refusal = refusalOf(
      await tables.create({ metadata: { name }, spec: { decisions: decisionsOf(size * MIB) } }),
    );
    expect(refusal).toMatchObject({
      code: 'cluster/refused',
      message: expect.stringMatching(/too large|larger than max/u) as string,
    });
    expect(Date.now() - startMs).toBeLessThan(8_000);
    expect((await tables.read({ namespace: '', name })).object).toBeUndefined();
  });

  test('stores a table as large as the operator writes one', async () => {
    const spec = { decisions: decisionsOf(MAX_TABLE_BYTES) };
    expect((await tables.create({ metadata: { name: 'full' }, spec })).ok).toBe(true);
  });
});
