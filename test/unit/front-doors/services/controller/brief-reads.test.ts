import { MemoryCluster } from '../../../../../operator/backends/memory/memory-cluster';
import { brieflyRemembered } from '../../../../../operator/front-doors/services/controller/brief-reads';
import type { NamespaceView } from '../../../../../operator/ports/cluster';
import { ManualClock } from '../../../../support/manual-clock';

/** A cluster that counts which namespaces are read. */
class CountingCluster extends MemoryCluster {
  readonly read: string[] = [];

  override namespace(name: string): Promise<NamespaceView | undefined> {
    this.read.push(name);
    return Promise.resolve(name === 'missing' ? undefined : { name, uid: `uid-${name}`, labels: {} });
  }
}

function world() {
  const [cluster, clock] = [new CountingCluster(), new ManualClock()];
  return { cluster, clock, brief: brieflyRemembered(cluster, clock) };
}

describe('brieflyRemembered', () => {
  test('reads a namespace once within a second', async () => {
    const { cluster, clock, brief } = world();
    await Promise.all([brief.namespace('shop'), brief.namespace('shop')]);
    clock.advance(999);
    await expect(brief.namespace('shop')).resolves.toMatchObject({ uid: 'uid-shop' });
    expect(cluster.read).toEqual(['shop']);
    clock.advance(1);
    await brief.namespace('shop');
    expect(cluster.read).toEqual(['shop', 'shop']);
  });

  test('reads anew what was missing, and what it was told to forget', async () => {
    const { cluster, brief } = world();
    await brief.namespace('missing');
    await brief.namespace('missing');
    await brief.namespace('shop');
    brief.forgetNamespace('shop');
    await brief.namespace('shop');
    expect(cluster.read).toEqual(['missing', 'missing', 'shop', 'shop']);
  });

  test('keeps what was read anew as long as the rest of its moment, in whatever order they were read first', async () => {
    const { cluster, clock, brief } = world();
    await brief.namespace('first');
    clock.advance(600);
    await brief.namespace('second');
    clock.advance(600);
    await brief.namespace('first');
    clock.advance(500);
    await brief.namespace('second');
    await brief.namespace('first');
    expect(cluster.read).toEqual(['first', 'second', 'first', 'second']);
  });
});
