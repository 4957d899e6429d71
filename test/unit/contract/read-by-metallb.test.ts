import { METALLB } from '../../../operator/contract/group';
import {
  addressesReadByMetalLb,
  addressPlaceReadByMetalLb,
  isReadByMetalLb,
  poolReadByMetalLb,
} from '../../../operator/contract/read-by-metallb';

const { pool: POOL, legacyPool: OLD_POOL, addresses: IPS, legacyAddresses: OLD_IPS } = METALLB;
const SPEC = 'spec.loadBalancerIP';
const field = (key: string): string => `metadata.annotations[${key}]`;

describe('poolReadByMetalLb', () => {
  test.each<[string, Record<string, string>, readonly [string, string]]>([
    ['no key', {}, [POOL, '']],
    ['the stable key', { [POOL]: 'a' }, [POOL, 'a']],
    ['the older key', { [OLD_POOL]: 'b' }, [OLD_POOL, 'b']],
    ['both keys', { [POOL]: 'a', [OLD_POOL]: 'b' }, [POOL, 'a']],
    ['an empty stable key', { [POOL]: '' }, [POOL, '']],
    ['an empty older key', { [OLD_POOL]: '' }, [OLD_POOL, '']],
    ['an empty stable key over the older one', { [POOL]: '', [OLD_POOL]: 'b' }, [POOL, '']],
    ['a blank stable key, which is a name', { [POOL]: ' ', [OLD_POOL]: 'b' }, [POOL, ' ']],
  ])('reads %s', (_what, annotations, [key, text]) => {
    expect(poolReadByMetalLb({ annotations })).toEqual({ field: field(key), text });
  });
});

describe('addressPlaceReadByMetalLb', () => {
  test.each<[string, Parameters<typeof addressPlaceReadByMetalLb>[0], readonly [string, string]]>([
    ['nothing', { annotations: {} }, [SPEC, '']],
    ['the stable key', { annotations: { [IPS]: '10.0.0.1' } }, [field(IPS), '10.0.0.1']],
    ['the older key', { annotations: { [OLD_IPS]: '10.0.0.2' } }, [field(OLD_IPS), '10.0.0.2']],
    ['the spec', { annotations: {}, loadBalancerIP: '10.0.0.3' }, [SPEC, '10.0.0.3']],
    [
      'the stable key before the older one',
      { annotations: { [IPS]: '10.0.0.1', [OLD_IPS]: '10.0.0.2' } },
      [field(IPS), '10.0.0.1'],
    ],
    [
      'the older key before the spec',
      { annotations: { [OLD_IPS]: '10.0.0.2' }, loadBalancerIP: '10.0.0.3' },
      [field(OLD_IPS), '10.0.0.2'],
    ],
    ['an empty stable key over the older one', { annotations: { [IPS]: '', [OLD_IPS]: '10.0.0.2' } }, [SPEC, '']],
    [
      'the spec beside an empty stable key',
      { annotations: { [IPS]: '' }, loadBalancerIP: '10.0.0.3' },
      [SPEC, '10.0.0.3'],
    ],
    [
      'the spec beside an empty stable key over the older one',
      { annotations: { [IPS]: '', [OLD_IPS]: '10.0.0.2' }, loadBalancerIP: '10.0.0.3' },
      [SPEC, '10.0.0.3'],
    ],
    [
      'the spec beside an empty older key',
      { annotations: { [OLD_IPS]: '' }, loadBalancerIP: '10.0.0.3' },
      [SPEC, '10.0.0.3'],
    ],
    ['an empty spec', { annotations: { [IPS]: '10.0.0.1' }, loadBalancerIP: '' }, [field(IPS), '10.0.0.1']],
    ['a blank key, which is not empty', { annotations: { [IPS]: ' ' }, loadBalancerIP: '10.0.0.3' }, [field(IPS), ' ']],
  ])('reads %s', (_what, service, [at, text]) => {
    expect(addressPlaceReadByMetalLb(service)).toEqual({ field: at, text });
  });
});

describe('isReadByMetalLb', () => {
  test.each<[string, boolean]>([
    ['10.0.0.1', true],
    [' 10.0.0.1 , 2001:DB8::A', true],
    ['', false],
    [' ', false],
    ['10.0.0.1,', false],
    ['10.0.0.1/32', false],
    ['2001:db8::1/128', false],
    ['10.0.0.1 10.0.0.2', false],
  ])('"%s": %s', (text, isRead) => {
    expect(isReadByMetalLb(text)).toBe(isRead);
  });
});

describe('addressesReadByMetalLb', () => {
  test.each<[string, Record<string, string>, readonly string[]]>([
    ['one of each family, with blanks around', { [IPS]: ' 10.0.0.1 , 2001:db8::1 ' }, ['10.0.0.1', '2001:db8::1']],
    ['none of an empty key, whatever it hides', { [IPS]: '', [OLD_IPS]: '10.0.0.2' }, []],
    ['none of a blank key, whatever it hides', { [IPS]: ' ', [OLD_IPS]: '10.0.0.2' }, []],
    ['none of a text that is no address', { [IPS]: 'x' }, []],
  ])('reads %s', (_what, annotations, addresses) => {
    expect(addressesReadByMetalLb({ annotations }).map(String)).toEqual(addresses);
  });
});
