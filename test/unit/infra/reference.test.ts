import { resolve } from 'node:path';

import { argsTables } from '../../support/args-tables';

const text = argsTables(resolve(__dirname, '../../../infra/index.ts'));
const rows = text.split('\n').filter((line) => /^\| `/u.test(line));

/** Cells of the row of an arg, in the table of its component. */
const rowOf = (component: string, arg: string): readonly string[] => {
  const [, section = ''] = text.split(`### ${component}\n`);
  const line = section.split('\n').find((each) => each.startsWith(`| ${arg} `)) ?? '';
  return line.split(/(?<!\\) \| |^\| | \|$/u).slice(1, -1);
};

describe('the reference of the components', () => {
  test('says nothing that is true for their constructs alone', () => {
    expect(rows.length).toBeGreaterThan(50);
    const ofConstructs = /\bconstruct\b|\bchart\b|exposeViaIpam|labelSelector|`pods`|cdk8s(?!-ipam)/u;
    expect(rows.filter((row) => ofConstructs.test(row))).toEqual([]);
  });

  test.each([
    ['IpamService', '`name`', '`string`', 'the name of the component', ''],
    ['IpamService', '`namespace`', '`string`', 'that of the provider, else that of its kubeconfig', 'yes'],
    ['IpamService', '`labels`', '`Readonly<Record<string, string>>`', 'none', 'inside'],
    ['MetalLbPool', '`name`', '`string`', 'the name of the component', ''],
    ['AddressClaim', '`labels`', '`Readonly<Record<string, string>>`', 'none', 'inside'],
  ])('of %s tells type, default and Output of %s', (component, ...cells) => {
    expect(rowOf(component, cells[0]).slice(0, 4)).toEqual(cells);
  });

  test('tells a meaning and a default of every arg', () => {
    const args = rows.map((row) => row.split(/(?<!\\) \| /u)).filter((cells) => cells.length === 5);
    expect(args.length).toBeGreaterThan(50);
    expect(args.filter(([, , fallback = '', , meaning = '']) => fallback === '' || meaning === '|')).toEqual([]);
  });
});
