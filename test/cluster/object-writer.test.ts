import { SYSTEM_CLOCK } from '../../operator/backends/system/system-clock';
import { openKubeClient } from '../../operator/cluster/api/kube-client';
import { KubernetesEventRecorder } from '../../operator/cluster/objects/event-recorder';
import { KubernetesObjectWriter } from '../../operator/cluster/objects/object-writer';
import { ADDRESS_CLAIM } from '../../operator/contract/kinds/address-claim';
import { metadataOf, textOf } from '../../operator/contract/loose-json';
import { valueOf } from '../../operator/errors/ipam-error';
import type { EventRecorder } from '../../operator/ports/event-recorder';
import type { ObjectWriter } from '../../operator/ports/object-writer';
import { objectWriterSuite, WRITTEN_KIND } from '../support/object-writer-suite';
import { RecordedLogger } from '../support/recorded-telemetry';
import { installKinds } from './support/kinds';
import { useControlPlane } from './support/use-control-plane';

const logger = new RecordedLogger();
let writer: ObjectWriter;
let events: EventRecorder;
const plane = useControlPlane({
  prepare: async (plane) => {
    await installKinds(plane.client, [ADDRESS_CLAIM]);
    const client = await openKubeClient({ kubeconfig: plane.kubeconfig, clock: SYSTEM_CLOCK, logger });
    plane.onStop(() => client.close());
    writer = new KubernetesObjectWriter(client, WRITTEN_KIND);
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
});
