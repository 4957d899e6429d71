import type { JsonMap } from '../../../../operator/contract/loose-json';
import { NEPHIO } from '../../../../operator/contract/nephio';
import { f1, selectNi, type NetworksModel } from '../../../support/networks-model';

const wished = (kind: 'pool' | 'loopback', prefix: string, labels: Readonly<Record<string, string>> = {}): JsonMap => ({
  kind,
  prefix,
  ...selectNi(labels),
});

/** An aggregate of which `outer` was given 10.0.0.0/24, as a pool with a label of its own. */
function withOuter(): NetworksModel {
  const model = f1();
  const spec = { kind: 'pool', prefixLength: 24, ...selectNi() };
  expect(model.allocate('outer', spec, { site: '1' })).toBe('10.0.0.0/24');
  return model;
}

describe('what a request was given', () => {
  test.each(['pool', 'loopback'] as const)('is no parent of a wished %s that selects the instance alone', (kind) => {
    const model = withOuter();
    const code = kind === 'pool' ? 'prefix/in-use' : 'prefix/parent-kind';
    expect(model.allocate('inner', wished(kind, kind === 'pool' ? '10.0.0.0/28' : '10.0.0.9/32'))).toBe(code);
    expect(model.release('IPAllocation', 'outer')).toEqual([]);
  });

  test('is none of a loopback address either', () => {
    const model = f1();
    expect(model.allocate('outer', { kind: 'loopback', prefixLength: 28, ...selectNi() })).toBe('10.0.0.0/28');
    expect(model.allocate('inner', wished('loopback', '10.0.0.5/32'))).toBe('prefix/in-use');
    const selected = wished('loopback', '10.0.0.5/32', { [NEPHIO.prefixName]: 'outer' });
    expect(model.allocate('inner', selected)).toBe('10.0.0.5/32');
  });

  test('is the parent of a wish that selects it by its label, and of none that selects another', () => {
    const model = withOuter();
    expect(model.allocate('other', wished('pool', '10.0.0.0/28', { site: '2' }))).toBe('prefix/in-use');
    expect(model.lastRefusal?.message).toContain('IPAllocation default/outer holds "10.0.0.0/24"');
    expect(model.allocate('inner', wished('pool', '10.0.0.0/28', { site: '1' }))).toBe('10.0.0.0/28');
    expect(model.release('IPAllocation', 'outer')).toEqual(['IPAllocation default/inner']);
  });

  test('has no IPPrefix of others inside, and may have one around', () => {
    const model = withOuter();
    expect(model.prefix('inside', { kind: 'pool', prefix: '10.0.0.16/28' })).toBe('prefix/in-use');
    expect(model.prefix('around', { kind: 'pool', prefix: '10.0.0.0/16' })).toBe('10.0.0.0/16');
    expect(model.prefix('inside', { kind: 'pool', prefix: '10.0.0.16/28' })).toBe('prefix/in-use');
    expect(model.release('IPAllocation', 'outer')).toEqual([]);
    expect(model.prefix('inside', { kind: 'pool', prefix: '10.0.0.16/28' })).toBe('10.0.0.16/28');
  });
});
