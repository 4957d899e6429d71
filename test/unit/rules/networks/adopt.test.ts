import type { JsonMap } from '../../../../operator/contract/loose-json';
import { NEPHIO } from '../../../../operator/contract/nephio';
import { adoptionOrder, decideAdoption } from '../../../../operator/rules/networks';
import { GATEWAY, NetworksModel, ofNetwork, selectNi } from '../../../support/networks-model';

const object = (
  kind: string,
  name: string,
  [spec, status, more = {}]: readonly [JsonMap, JsonMap, JsonMap?],
): JsonMap => ({
  kind,
  metadata: {
    namespace: 'default',
    name,
    uid: `new-${name}`,
    creationTimestamp: `2026-11-0${String(name.length)}`,
    ...more,
  },
  spec,
  status,
});
const P = (name: string, spec: JsonMap, more: JsonMap = {}): JsonMap =>
  object('IPPrefix', name, [{ networkInstance: 'vpc-1', ...spec }, { prefix: spec['prefix'] }, more]);
const A = (name: string, prefix: string, spec: JsonMap = ofNetwork('net1')): JsonMap =>
  object('IPAllocation', name, [spec, prefix === '' ? {} : { prefix }]);

const AGG = P('agg0', { kind: 'aggregate', prefix: '10.0.0.0/8' });
const NET1 = P('net1-p1', { network: 'net1', prefix: '10.0.1.1/24' }, { labels: GATEWAY });

interface Shown {
  readonly prefixes?: readonly JsonMap[];
  readonly allocations: readonly JsonMap[];
  readonly dump?: Readonly<Record<string, JsonMap>>;
}

function adopted({ prefixes = [AGG, NET1], allocations, dump = {} }: Shown, model = new NetworksModel()) {
  const steps = adoptionOrder({ instance: model.at.instance, prefixes, allocations, dump });
  const results = steps.map((step) => {
    const verdict = model.table.apply(decideAdoption(model.table, model.at, step));
    const said =
      verdict.as === 'refusal' ? verdict.refusal.code : verdict.as === 'change' ? verdict.answer : verdict.value;
    return `${step.owner.kind} ${step.owner.name}: ${said}`;
  });
  return { model, results };
}

const holderAt = (model: NetworksModel, block: string): unknown => {
  const entry = model.table.entries().find((each) => each.block.toString() === block);
  return (entry?.user ?? entry?.owner)?.name;
};

describe('adopting what the older operator gave', () => {
  test('NET-T96 NET-T97 everything stays, whatever the order in which objects are told', () => {
    const allocations = [A('a3', '10.0.1.4/32'), A('a1', '10.0.1.2/32'), A('a2', '10.0.1.3/32')];
    const { model, results } = adopted({ prefixes: [NET1, AGG], allocations });
    expect(results.filter((text) => !text.endsWith('restored'))).toEqual([]);
    expect(model.blocks()).toEqual([
      '10.0.0.0/8',
      '10.0.1.0/24',
      '10.0.1.1/32',
      '10.0.1.2/32',
      '10.0.1.3/32',
      '10.0.1.4/32',
    ]);
    expect(['10.0.1.2/32', '10.0.1.3/32', '10.0.1.4/32'].map((block) => holderAt(model, block))).toEqual([
      'a1',
      'a2',
      'a3',
    ]);
  });

  test('NET-T97 an address that was given before a host came stays', () => {
    const host = P('net1-p10', { network: 'net1', prefix: '10.0.1.10/24' });
    const { model } = adopted({ prefixes: [host, NET1], allocations: [A('alloc1', '10.0.1.2/32')] });
    expect([holderAt(model, '10.0.1.2/32'), holderAt(model, '10.0.1.10/32')]).toEqual(['alloc1', 'net1-p10']);
  });

  test('an adopted request is kept when it is decided', () => {
    const { model } = adopted({ prefixes: [NET1], allocations: [A('a1', '10.0.1.77/32')] });
    const request = {
      ...model.request('a1', ofNetwork('net1')),
      owner: { ...model.owner('IPAllocation', 'a1'), uid: 'new-a1' },
    };
    expect(model.decide(request)).toBe('10.0.1.77/32 gw 10.0.1.1');
  });

  test('a second time, everything is kept', () => {
    const shown = { allocations: [A('a1', '10.0.1.2/32')] };
    const { model } = adopted(shown);
    const before = model.table.entries();
    const { results } = adopted(shown, model);
    expect(results.filter((text) => !text.endsWith('kept'))).toEqual([]);
    expect(model.table.entries()).toEqual(before);
  });

  test('NET-T98 the shown table counts where a status was lost', () => {
    const dynamic = { [NEPHIO.allocationName]: 'a2', [NEPHIO.origin]: 'prefix', [NEPHIO.prefixKind]: 'network' };
    const system = {
      [NEPHIO.allocationName]: '10.0.1.0-24',
      [NEPHIO.origin]: 'system',
      [NEPHIO.prefixKind]: 'network',
    };
    const own = { [NEPHIO.allocationName]: 'net1-p1', [NEPHIO.origin]: 'prefix', [NEPHIO.prefixKind]: 'network' };
    const { model } = adopted({
      prefixes: [AGG, { ...NET1, status: {} }],
      allocations: [A('a2', ''), A('a1', '10.0.1.2/32')],
      dump: { '10.0.1.3/32': dynamic, '10.0.1.0/24': system, '10.0.1.0/32': system, '10.0.1.1/32': own },
    });
    expect([holderAt(model, '10.0.1.2/32'), holderAt(model, '10.0.1.3/32')]).toEqual(['a1', 'a2']);
    expect(holderAt(model, '10.0.1.1/32')).toBe('net1-p1');
  });

  test('of two that show one address the older one has it', () => {
    const younger = A('ab', '10.0.1.2/32');
    const older = A('z', '10.0.1.2/32');
    const { model, results } = adopted({ allocations: [younger, older] });
    expect(holderAt(model, '10.0.1.2/32')).toBe('z');
    expect(results).toContain('IPAllocation ab: prefix/in-use');
  });

  test('an address that was selected by label is bound again', () => {
    const { model } = adopted({ allocations: [A('gw', '10.0.1.1/32', ofNetwork('net1', GATEWAY))] });
    expect(holderAt(model, '10.0.1.1/32')).toBe('gw');
    expect(model.table.entries().at(-1)).toMatchObject({ owner: { name: 'net1-p1' }, user: { name: 'gw' } });
  });

  test("what no object asks for may be a gRPC client's, and keeps its place", () => {
    const labels = { [NEPHIO.allocationName]: 'g1', [NEPHIO.origin]: 'prefix', [NEPHIO.prefixKind]: 'network' };
    const { model } = adopted({ allocations: [], dump: { '10.0.1.9/32': labels } });
    expect(model.table.ofKey('grpc/default/g1')).toMatchObject({
      door: 'grpc',
      owner: { kind: 'Allocation', name: 'g1' },
    });
  });

  test('pools, and addresses whose subnet is gone', () => {
    const pool = { kind: 'pool', prefixLength: 16, ...selectNi() };
    const { model, results } = adopted({
      prefixes: [AGG],
      allocations: [A('pool1', '10.1.0.0/16', pool), A('lost', '10.0.1.2/32')],
    });
    expect(holderAt(model, '10.1.0.0/16')).toBe('pool1');
    expect(results).toContain('IPAllocation lost: prefix/no-network');
  });

  test('what cannot be read is passed over', () => {
    const junk: readonly JsonMap[] = [{}, { metadata: 5, spec: null, status: { prefix: 'x' } }];
    expect(adopted({ prefixes: junk, allocations: junk, dump: { x: {}, '10.0.0.0/8': { a: 5 } } }).results).toEqual([]);
  });
});
