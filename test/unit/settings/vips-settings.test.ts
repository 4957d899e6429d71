import { VIP_CLASS } from '../../../operator/contract/paas';
import { OPTIONS } from '../../../operator/settings/options';
import { parseSettings } from '../../../operator/settings/parse-settings';

const parse = (...argv: string[]) => parseSettings({ argv, env: {} });
const problems = (...argv: string[]): readonly string[] => {
  const parsed = parse(...argv);
  return parsed.ok ? [] : parsed.problems.map(({ message }) => message);
};

describe('settings of the VIPs door', () => {
  test('are off by default, and serve the class of the contract', () => {
    const parsed = parse();
    expect(parsed.ok && [parsed.value.vips, parsed.value.vipsClassless]).toEqual([false, false]);
    expect(OPTIONS.vipsClasses.default).toEqual([VIP_CLASS]);
  });

  test('read no annotation of another load balancer unless told to', () => {
    const [without, told] = [parse('--vips'), parse('--vips', '--vips-foreign-annotations=metallb,kube-vip')];
    expect(without.ok && without.value.vipsForeignAnnotations).toEqual([]);
    expect(told.ok && told.value.vipsForeignAnnotations).toEqual(['metallb', 'kube-vip']);
  });

  test('let the door stand alone', () => {
    expect(problems('--vips', '--services=false')).toEqual([]);
    expect(problems('--services=false')).toHaveLength(1);
  });

  test.each([
    [['--vips', '--standalone'], '--vips: needs a cluster'],
    [['--vips-migration'], '--vips-migration: is a part of --vips; set that too'],
    [['--vips', '--vips-classless', '--default-zone=a'], '--vips-classless: is not possible with --default-zone'],
    [
      ['--vips', '--load-balancer-classes=a/b', '--vips-load-balancer-classes=a/b'],
      '--vips-load-balancer-classes: "a/b" stands in --load-balancer-classes too',
    ],
    [
      ['--vips', '--vips-foreign-annotations=metallb,nginx'],
      'value "metallb,nginx" of --vips-foreign-annotations is not allowed; give metallb, cilium, purelb, kube-vip and openelb, separated by commas, each at most once',
    ],
  ])('refuse %s', (argv, message) => {
    expect(problems(...argv).join()).toContain(message);
  });

  test('are not looked at while the door is off', () => {
    expect(problems('--vips-classless', '--default-zone=a')).toEqual([]);
  });
});
