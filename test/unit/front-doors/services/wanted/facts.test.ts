import { IpamError } from '../../../../../operator/errors/ipam-error';
import { gatherFacts } from '../../../../../operator/front-doors/services/wanted/facts';
import { storedReview } from '../../../../../operator/front-doors/services/wanted/review';
import { readService } from '../../../../../operator/contract/service';
import type { Family } from '../../../../../operator/addressing/address';
import type { NamespaceView } from '../../../../../operator/ports/cluster';
import { DoorWorld } from '../../../../support/door-world';
import { service } from '../../../../support/review-builder';
import { settled } from '../../../../support/settled';

const NAMESPACE: NamespaceView = { name: 'a', uid: 'uid of a', labels: {} };

interface Pending<V> {
  readonly promise: Promise<V>;
  readonly resolve: (value: V) => void;
  readonly reject: (reason: Error) => void;
}

function pending<V>(): Pending<V> {
  let settle: Omit<Pending<V>, 'promise'> | undefined;
  const promise = new Promise<V>((resolve, reject) => (settle = { resolve, reject }));
  return { promise, resolve: (value) => settle?.resolve(value), reject: (reason) => settle?.reject(reason) };
}

/** Facts of a stored Service over an API server that answers when the test says so. */
function gathering() {
  const { book, cluster, clock, logger, meter, zones, settings } = new DoorWorld();
  const clusterUid = pending<string>();
  const namespace = pending<NamespaceView | undefined>();
  const families = pending<readonly Family[]>();
  const asked: string[] = [];
  cluster.clusterUid = () => (asked.push('clusterUid'), clusterUid.promise);
  cluster.namespace = () => (asked.push('namespace'), namespace.promise);
  cluster.families = () => (asked.push('families'), families.promise);
  const view = readService(service({}, {}, { name: 'web', uid: 'uid of web' }));
  if (view === undefined) throw new TypeError('the Service of the test');
  const review = storedReview(view);
  const facts = gatherFacts(
    { book, cluster, clock, logger, meter, zones, settings },
    { review, reservation: undefined },
  );
  return { facts, asked, clusterUid, namespace, families };
}

describe('gatherFacts', () => {
  test('asks the API server for everything before its first answer comes', async () => {
    const { facts, asked, clusterUid, namespace, families } = gathering();
    await settled();
    expect(asked.toSorted()).toEqual(['clusterUid', 'families', 'namespace']);

    clusterUid.resolve('c1');
    namespace.resolve(NAMESPACE);
    families.resolve([6, 4]);
    expect(await facts).toMatchObject({ ok: true, value: { namespace: NAMESPACE, clusterFamilies: [6, 4] } });
  });

  test('fails with the first failure, and leaves no other one unhandled', async () => {
    const { facts, clusterUid, namespace, families } = gathering();
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    for (const { reject } of [families, namespace, clusterUid]) reject(new IpamError('cluster/unavailable', 'away'));

    await expect(facts).rejects.toThrow('away');
    await settled();
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });
});
