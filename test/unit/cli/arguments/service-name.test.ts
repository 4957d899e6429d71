import { InvalidArgumentError } from 'commander';
import { readServiceName, serviceNameArgument } from '../../../../operator/cli/arguments/service-name';

describe('readServiceName', () => {
  test.each([
    ['shop/web', { namespace: 'shop', name: 'web' }],
    ['shop/web.v2', { namespace: 'shop', name: 'web.v2' }],
    ['10.0.0.0/24', undefined],
    ['2001:db8::/64', undefined],
    ['web', undefined],
    ['/web', undefined],
    ['shop/', undefined],
    ['shop/web/more', undefined],
    ['sh op/web', undefined],
    ['', undefined],
  ])('reads %j as %j', (text, expected) => {
    expect(readServiceName(text)).toEqual(expected);
  });
});

describe('serviceNameArgument', () => {
  test('refuses whatever else stands in the place of a name', () => {
    expect(serviceNameArgument('shop/web')).toEqual({ namespace: 'shop', name: 'web' });
    expect(() => serviceNameArgument('web')).toThrow(InvalidArgumentError);
  });
});
