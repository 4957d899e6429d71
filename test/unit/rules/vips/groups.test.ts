import { ipGroupProblems } from '../../../../operator/contract/kinds/ip-group';
import { addressOf } from '../../../../operator/addressing/address';
import { countGroup } from '../../../support/count-group';
import { decideGroupDeletion, excludedInUse, planGroups } from '../../../../operator/rules/vips';
import { PrefixSet } from '../../../../operator/addressing/prefix-set';
import { groupObject, OLD_POOLS } from '../../../support/vip-kind-samples';
import { VipsModel } from '../../../support/vips-model';

const [P1] = OLD_POOLS;

/** The stored group with another spec. */
function changed(model: VipsModel, spec: object, name = 'ipgroup-1'): VipsModel {
  model.groups = model.groups.map((value) => {
    const group = value as ReturnType<typeof groupObject>;
    return group.metadata.name === name ? { ...group, spec } : value;
  });
  return model;
}

const used = (): VipsModel => new VipsModel([P1]).put({ name: 'a' });
const countsOf = (model: VipsModel, name = 'ipgroup-1') =>
  countGroup(model.group(name), {
    held: model.usesOf(name).map(({ address }) => address),
    quarantined: [],
    foreign: [],
  });

describe('a group that changes', () => {
  test('VIP-T45 POOL-05 excludes an address in use: its holder keeps it, and nobody gets it afterwards', () => {
    const model = changed(used(), { segment: '1.1.1.0/29', excludedIPs: ['1.1.1.0-1.1.1.2', '1.1.1.7'] });
    model.settle();
    expect([model.ingress('a'), model.group('ipgroup-1').readiness.ok]).toEqual([['1.1.1.1'], true]);
    const warning = excludedInUse(model.group('ipgroup-1'), model.usesOf('ipgroup-1'));
    expect(warning).toContain('test/a (1.1.1.1)');
    expect(countsOf(model)).toMatchObject({ total: '5', allocated: '1', free: '4', excluded: '3' });
    model.delete('a');
    model.put({ name: 'b' });
    expect(model.ingress('b')).toEqual(['1.1.1.3']);
    expect(countsOf(model)).toMatchObject({ total: '4', allocated: '1', free: '3', excluded: '4' });
  });

  test('VIP-T46 moves away from an address in use: stored, not applied, with the list', () => {
    const model = changed(used(), { segment: '1.1.9.0/29' });
    const { readiness } = model.group('ipgroup-1');
    expect(readiness).toMatchObject({ ok: false, reason: 'HoldersOutside' });
    expect(readiness).toHaveProperty('message', expect.stringContaining('test/a (1.1.1.1)'));
    expect(model.put({ name: 'b' }).ingress('b')).toEqual(['1.1.1.0']);
    model.delete('a');
    model.delete('b');
    expect(model.put({ name: 'c' }).ingress('c')).toEqual(['1.1.9.0']);
  });

  test('VIP-T46 with force it is applied, and the holder drains', () => {
    const model = changed(used(), { segment: '1.1.9.0/29', force: true });
    model.settle();
    expect(model.ingress('a')).toEqual(['1.1.1.1']);
    expect(countsOf(model)).toMatchObject({ outOfRange: '1', allocated: '0', total: '8', free: '8' });
    expect(model.put({ name: 'b' }).ingress('b')).toEqual(['1.1.9.0']);
  });

  test('POOL-01 grows, and who waits is served', () => {
    const model = new VipsModel([groupObject('g', { segment: '9.9.9.8/32' })]).put({ name: 'a' }).put({ name: 'b' });
    changed(model, { segment: '9.9.9.8/31' }, 'g').settle();
    expect(model.ingress('b')).toEqual(['9.9.9.9']);
  });

  test('grows into another group: stored, not applied', () => {
    const model = new VipsModel([P1, groupObject('g', { segment: '9.9.9.8/32' })]).put({ name: 'a' });
    changed(model, { segments: ['9.9.9.8/32', '1.1.1.4/30'] }, 'g');
    expect(model.group('g').readiness).toMatchObject({ ok: false, reason: 'Conflict' });
    expect(model.group('g').usable.toString()).toBe('9.9.9.8');
    expect(model.group('ipgroup-1').readiness.ok).toBe(true);
  });

  test('that becomes invalid gives nothing more, and nobody loses an address', () => {
    const model = changed(used(), { segment: '1.1.1.0/29', excludedIPs: ['1.1.1'] });
    model.settle();
    model.put({ name: 'b' }).put({ name: 'c', spec: { loadBalancerIP: '1.1.1.4' } });
    expect([model.ingress('a'), model.ingress('b'), model.ingress('c')]).toEqual([['1.1.1.1'], [], []]);
    expect([model.condition('b')?.reason, model.condition('c')?.reason]).toEqual(['InvalidGroup', 'InvalidGroup']);
  });

  test('VIP-T47 is deleted only when its last Service is gone', () => {
    const model = used();
    const deletion = decideGroupDeletion('ipgroup-1', model.usesOf('ipgroup-1'));
    expect(deletion).toMatchObject({
      finalizer: 'keep',
      message: expect.stringContaining('test/a (1.1.1.1)') as string,
    });
    model.delete('a');
    expect(decideGroupDeletion('ipgroup-1', model.usesOf('ipgroup-1')).finalizer).toBe('off');
  });
});

// A group has no router number, which could collide: the operator announces nothing. What groups of one network could take from each
// other are addresses.
test('VIP-01 groups of one network have nothing in common: no number, no address; one that is made anew takes nothing of the others', () => {
  const numbered = groupObject('g1', { segment: '192.0.2.0/28', virtualRouterId: 10 });
  expect(ipGroupProblems(numbered).map(({ field }) => field)).toEqual(['spec.virtualRouterId']);
  const g1 = groupObject('g1', { segment: '192.0.2.0/28', excludedIPs: ['192.0.2.10'] });
  const g2 = groupObject('g2', { segment: '192.0.2.16/28' });
  const model = new VipsModel([g1, g2]);
  const serve = (group: string, count: number): readonly string[] =>
    Array.from({ length: count }, (_, at) => {
      const name = `${group}-${String(at)}`;
      return String(model.put({ name, annotations: { 'paas.org/ipgroup': group } }).ingress(name));
    });
  const [first, second] = [serve('g1', 15), serve('g2', 16)];
  expect(new Set([...first, ...second]).size).toBe(31);
  expect(first).not.toContain('192.0.2.10');
  for (let at = 0; at < first.length; at++) model.delete(`g1-${String(at)}`);
  model.groups = [g2, groupObject('g3', { segment: '192.0.2.0/28', excludedIPs: ['192.0.2.10'] })];
  model.settle();
  expect(serve('g3', 15)).toEqual(first);
  expect(second).toEqual(Array.from({ length: 16 }, (_, at) => String(model.ingress(`g2-${String(at)}`))));
});

describe('groups that overlap', () => {
  const around = { strongerSpace: () => PrefixSet.EMPTY, heldIn: () => [] };
  const at = (name: string, creationTimestamp: string, more: object = {}) => ({
    ...groupObject(name, { segment: '1.1.1.0/29' }),
    metadata: { name, creationTimestamp },
    ...more,
  });
  const applied = { status: { applied: { segments: ['1.1.1.0/29'] } } };
  const winners = (...objects: readonly object[]) =>
    planGroups(objects, around)
      .filter(({ group }) => group.readiness.ok)
      .map(({ group }) => group.name);

  test('POOL-06 the older one gives, whatever their names', () => {
    expect(winners(at('a', '2026-02-01T00:00:00Z'), at('z', '2026-01-01T00:00:00Z'))).toEqual(['z']);
  });

  test('the one that gives already goes on, whatever its age', () => {
    expect(winners(at('a', '2026-02-01T00:00:00Z', applied), at('z', '2026-01-01T00:00:00Z'))).toEqual(['a']);
  });

  test('two that gave already, after a restore, are told apart by age, and the younger gives nothing of it', () => {
    const both = [at('a', '2026-02-01T00:00:00Z', applied), at('z', '2026-01-01T00:00:00Z', applied)];
    expect(winners(...both)).toEqual(['z']);
    const [a] = planGroups(both, around);
    expect([a?.group.name, a?.group.usable.isEmpty]).toEqual(['a', true]);
  });

  test('a group that is in conflict does not stop a third one', () => {
    const third = { ...at('third', '2026-03-01T00:00:00Z'), spec: { segment: '1.1.9.0/29' } };
    const wide = { ...at('wide', '2026-02-01T00:00:00Z'), spec: { segments: ['1.1.1.0/29', '1.1.9.0/29'] } };
    expect(winners(at('a', '2026-01-01T00:00:00Z'), wide, third)).toEqual(['a', 'third']);
  });

  test('a status that cannot be read counts as none', () => {
    const broken = at('a', '2026-01-01T00:00:00Z', { status: { applied: { segments: ['foo', 5] } } });
    expect(planGroups([broken], around).map(({ apply }) => apply)).toEqual([{ segments: ['1.1.1.0/29'] }]);
  });

  test.each([[[null, 5, 'x', {}, { metadata: { name: 'g' } }, { metadata: { name: 'h' }, spec: 7, status: 'x' }]]])(
    'passes over what is no group',
    (values) => {
      const plans = planGroups(values, around);
      expect(plans.map(({ group }) => [group.name, group.readiness.ok])).toEqual([
        ['g', false],
        ['h', false],
      ]);
    },
  );
});

test('counts what is quarantined and what the cluster uses, each address once', () => {
  const model = used();
  const counts = countGroup(model.group('ipgroup-1'), {
    held: [addressOf('1.1.1.1')],
    quarantined: [addressOf('1.1.1.3'), addressOf('9.9.9.9')],
    foreign: ['1.1.1.1', '1.1.1.2', '1.1.1.4'].map(addressOf),
  });
  expect(counts).toEqual({
    total: '5',
    allocated: '1',
    quarantined: '1',
    foreign: '1',
    free: '2',
    excluded: '3',
    outOfRange: '0',
  });
});
