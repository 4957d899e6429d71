import { resolve } from 'node:path';
import { propsTables, undocumentedProps } from '../../support/props-tables';

const entry = resolve(__dirname, '../../../constructs/index.ts');

describe('the reference of the constructs', () => {
  test('tells the meaning of every prop, and the default of each that may be left out', () => {
    expect(undocumentedProps(entry)).toEqual([]);
  });

  test('has a table for props that stand in the contract or inside of other props', () => {
    const text = propsTables(entry);
    for (const name of [
      'IpamOperatorProps',
      'OperatorZone',
      'LabelSelector',
      'AddressClaimHolder',
      'IpamServiceProps',
    ]) {
      expect(text).toContain(`### ${name}\n`);
    }
    expect(text).toContain('| `quarantineSeconds` | `number` | `300` |');
  });
});
