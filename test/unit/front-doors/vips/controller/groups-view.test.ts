import { addressOf } from '../../../../../operator/addressing/address';
import { GroupsView } from '../../../../../operator/front-doors/vips/controller/groups-view';
import type { NamedSpace } from '../../../../../operator/ports/pool-spaces';
import { spaceOf } from '../../../../support/claim-requests';

const group = (name: string, segment: string) => ({
  apiVersion: 'paas.org/v1',
  kind: 'IPGroup',
  metadata: { name, uid: name, creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { segment },
  status: { applied: { segments: [segment] } },
});

function viewOf(pools: readonly NamedSpace[]): GroupsView {
  return new GroupsView({
    groups: { list: () => [group('low', '10.0.0.0/24'), group('high', '10.9.0.0/24')] } as never,
    known: { within: () => [] } as never,
    strongerPools: [{ kind: 'zone', list: () => pools, onChange: () => () => undefined }],
  });
}

describe('GroupsView', () => {
  const inet = { name: 'inet', network: 'default', space: spaceOf('10.0.0.0/25') };
  const wide = { name: 'wide', network: 'default', space: spaceOf('10.0.0.192/26', '10.5.0.0/16') };
  const other = { name: 'other', network: 'lab', space: spaceOf('10.9.0.0/16') };

  test('gives nothing of the pools of other doors in the same network, and names those that have a part', () => {
    const view = viewOf([inet, wide, other]);
    const [low, high] = ['low', 'high'].map((name) => view.plan(name)!);
    expect(low!.group.usable.toString()).toBe('10.0.0.128-10.0.0.191');
    expect(low!.overlapsOtherDoor).toBe(true);
    expect(view.strongerNames(low!.group)).toEqual(['zone "inet"', 'zone "wide"']);
    expect(high!.group.usable.contains(addressOf('10.9.0.1'))).toBe(true);
    expect(view.strongerNames(high!.group)).toEqual([]);
  });
});
