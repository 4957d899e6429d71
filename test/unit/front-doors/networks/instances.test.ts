import { NETWORK_ANNOTATIONS } from '../../../../operator/contract/nephio';
import type { JsonMap } from '../../../../operator/contract/loose-json';
import { Instances } from '../../../../operator/front-doors/networks/instances';
import type { NetworksDoorParts } from '../../../../operator/front-doors/networks/door-parts';

const instance = (name: string, network?: string): JsonMap => ({
  metadata: {
    namespace: 'default',
    name,
    uid: `uid-${name}`,
    annotations: network === undefined ? {} : { [NETWORK_ANNOTATIONS.network]: network },
  },
});

// neither the watch nor a writer is asked
const NOTHING = {} as Pick<NetworksDoorParts, 'instances' | 'instanceWriter'>;

describe('Instances', () => {
  test('know which of them name a network of the other doors, through changes of the annotation', () => {
    const instances = new Instances(NOTHING);
    const follow = (name: string, before?: JsonMap, after?: JsonMap) => {
      const key = { namespace: 'default', name, uid: `uid-${name}` };
      instances.follow({ key, ...(before && { before }), ...(after && { after }) });
    };
    const named = (network?: string) => instances.inNetwork(network).map(([, { name }]) => name);
    follow('a', undefined, instance('a', 'lan'));
    follow('b', undefined, instance('b', 'lan'));
    follow('c', undefined, instance('c'));
    expect([named('lan'), named('wan'), named()]).toEqual([['a', 'b'], [], ['a', 'b']]);
    follow('a', instance('a', 'lan'), instance('a', 'wan'));
    follow('b', instance('b', 'lan'), instance('b'));
    follow('c', instance('c'), instance('c', 'lan'));
    expect([named('lan'), named('wan'), named()]).toEqual([['c'], ['a'], ['c', 'a']]);
    follow('c', instance('c', 'lan'));
    expect([named('lan'), named()]).toEqual([[], ['a']]);
  });
});
