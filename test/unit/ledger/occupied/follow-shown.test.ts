import { addressOf } from '../../../../operator/addressing/address';
import { shownByServices } from '../../../../operator/assembly/showing-feeds';
import { followShown } from '../../../../operator/ledger/occupied/follow-shown';
import { ShownIndex } from '../../../../operator/ledger/occupied/shown-index';
import type { ShowingFeed } from '../../../../operator/ports/showing-feed';
import { service } from '../../../support/gathering-world';
import { ListedObjects } from '../../../support/listed-objects';

const sources = (index: ShownIndex, address: string): readonly string[] =>
  index.at(addressOf(address)).map(({ source }) => source);

describe('followShown', () => {
  test('reads what two doors show of the same objects, each by its own classes', () => {
    const services = new ListedObjects();
    const index = new ShownIndex(() => undefined);
    services.put(service('web', { ingress: ['10.0.0.1'], loadBalancerClass: 'example.com/one' }));
    services.put(service('vip', { ingress: ['10.0.0.2'], loadBalancerClass: 'example.com/two' }));
    const feeds = [shownByServices(services, ['example.com/one']), shownByServices(services, ['example.com/two'])];
    const stop = followShown(feeds, index);
    expect([sources(index, '10.0.0.1'), sources(index, '10.0.0.2')]).toEqual([['Service/a/web'], ['Service/a/vip']]);

    services.put(service('vip', { loadBalancerClass: 'example.com/two' }));
    expect([sources(index, '10.0.0.1'), sources(index, '10.0.0.2')]).toEqual([['Service/a/web'], []]);
    stop();
    services.put(service('web', { loadBalancerClass: 'example.com/one' }));
    expect(sources(index, '10.0.0.1')).toEqual(['Service/a/web']);
  });

  test('reads objects of any kind', () => {
    const objects = new ListedObjects();
    const index = new ShownIndex(() => undefined);
    const gateways: ShowingFeed = {
      kind: 'Gateway',
      feed: objects,
      shownBy: () => [{ kind: 'ingress', source: 'Gateway/a/out', addresses: [addressOf('10.0.0.7')] }],
    };
    followShown([gateways], index);
    objects.put({ metadata: { namespace: 'a', name: 'out', uid: 'g1' } });
    expect(index.at(addressOf('10.0.0.7'))).toMatchObject([{ source: 'Gateway/a/out', namespace: 'a', uid: 'g1' }]);
  });
});
