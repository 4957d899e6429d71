import { App, Chart, Testing } from 'cdk8s';
import { Construct } from 'constructs';

import { AddressClaim, IpamOperator, IpamService, MetalLbPool } from '../../../../constructs';
import { isIpamError } from '../../../../operator/errors/ipam-error';

type Made = new (scope: unknown, id: unknown, props: unknown) => unknown;
const CONSTRUCTS = { IpamOperator, IpamService, MetalLbPool, AddressClaim } as unknown as Readonly<
  Record<string, Made>
>;

describe.each(Object.entries(CONSTRUCTS))('the place of an %s', (_name, Made) => {
  const thrownBy = (scope: unknown, id: unknown): string => {
    try {
      new Made(scope, id, {});
      return '';
    } catch (thrown) {
      return isIpamError(thrown) ? thrown.message : `another error: ${String(thrown)}`;
    }
  };
  const asked = 'a chart, or a construct inside of one';

  test('is no app, no construct without a chart, and nothing else', () => {
    expect(thrownBy(undefined, 'a')).toBe(`scope: nothing is not allowed; allowed is ${asked}`);
    expect(thrownBy({}, 'a')).toBe(`scope: a map is not allowed; allowed is ${asked}`);
    expect(thrownBy(new App(), 'a')).toBe(`scope: a value of class App is not allowed; allowed is ${asked}`);
    expect(thrownBy(new Construct(new App(), 'b'), 'a')).toContain('scope: a value of class Construct');
  });

  test.each([
    [5, '5'],
    [null, 'null'],
    ['', '""'],
    [undefined, 'nothing'],
  ])('has an id that is a text: %p', (id, shown) => {
    expect(thrownBy(new Chart(new App(), 'chart'), id)).toContain(`id: ${shown} is not allowed; `);
  });

  test('is a chart, or a construct inside of one', () => {
    const chart = Testing.chart();
    expect(thrownBy(chart, 'a')).toBe('');
    expect(thrownBy(new Construct(chart, 'b'), 'a')).toBe('');
  });
});
