import { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';

import { VIP_KEYS, VIP_CLASS } from '../../operator/contract/paas';
import type { Refusal } from '../../operator/errors/outcome';
import { registerObject, takenNameProblems, type ObjectOfApp } from '../app/app-objects';
import { refuseForeignTwins } from '../app/foreign-objects';
import { writeAppForEveryReader } from '../app/portable-yaml';
import { idProblems } from '../props-kit/id-as-name';
import { DNS_LABEL } from '../props-kit/kubernetes-values';
import { placeFor } from '../props-kit/place';
import { readProps, type ReadProps } from '../props-kit/rule';
import { portProblems } from '../service/port-problems';
import { serviceSpec } from '../service/service-spec';
import type { VipServiceProps } from './vip-service-props';
import { VIP_SERVICE } from './vip-service-rules';
import { registerWish, spaceProblems, wishClashes, wishedAddresses, type WishOfApp } from './wished-space';

/**
 * A Service of type LoadBalancer that gets an address of an {@link IpGroup} in its status.
 *
 * A wished address that lies in no declared group, is excluded there, or that another Service of the app asks for, fails at synth.
 */
export class VipService extends Construct {
  /** The Service itself, for dependencies and patches. */
  readonly service: k8s.KubeService;

  /**
   * Declares the Service.
   *
   * @param scope - a chart, or a construct inside of one
   * @param id - id within `scope`; the default of `props.name`
   * @param props - wish and spec of the Service
   */
  constructor(scope: Construct, id: string, props: VipServiceProps) {
    super(placeFor(scope, id, 'wish/malformed'), id);
    const read = readProps(VIP_SERVICE, props, 'wish/malformed');
    const { valid } = read;
    this.service = new k8s.KubeService(this, 'Resource', {
      metadata: {
        name: valid.name ?? id,
        ...(valid.namespace === undefined ? {} : { namespace: valid.namespace }),
        ...(valid.labels === undefined ? {} : { labels: { ...valid.labels } }),
        annotations: { ...valid.annotations, ...wishesOf(valid) },
      },
      spec: serviceSpec(withClass(valid)),
    });
    const named: ObjectOfApp = {
      construct: this,
      object: this.service,
      namespace: this.service.metadata.namespace ?? '',
      cluster: valid.cluster,
      field: 'name',
      code: 'wish/malformed',
    };
    registerObject(named);
    refuseForeignTwins(this, valid.cluster);
    const { addresses } = wishedAddresses(valid);
    const wish: WishOfApp = { construct: this, props: valid, addresses };
    registerWish(wish);
    writeAppForEveryReader(this);
    let own: readonly Refusal[] | undefined;
    this.node.addValidation({
      validate: () => {
        // synth validates each construct once for its app and once for its chart
        own ??= ownProblems(read, this.service.name);
        const around = read.malformed ? [] : [...spaceProblems(this, valid, addresses), ...wishClashes(wish)];
        return [...own, ...around, ...takenNameProblems(named)].map(({ message }) => message);
      },
    });
  }
}

/**
 * Checks the props of a Service of the VIPs door without building anything; synth runs the same check, and compares the wish with the
 * groups and Services of the app too.
 *
 * @param props - as given to {@link VipService}
 * @returns every problem; empty when nothing is wrong
 */
export const vipServiceProblems = (props: VipServiceProps): readonly Refusal[] =>
  ownProblems(readProps(VIP_SERVICE, props, 'wish/malformed'), 'service');

function ownProblems(read: ReadProps<VipServiceProps>, name: string): readonly Refusal[] {
  const { valid, problems, malformed } = read;
  if (malformed) return problems;
  const taken = Object.values<string>(VIP_KEYS).filter((key) => valid.annotations?.[key] !== undefined);
  return [
    ...problems,
    ...idProblems(read, name, { judge: DNS_LABEL, code: 'wish/malformed' }),
    ...portProblems(valid.ports),
    ...wishedAddresses(valid).problems,
    ...(valid.classless === true && valid.loadBalancerClass !== undefined
      ? [wrong('loadBalancerClass', 'has no use beside classless; leave out one of both')]
      : []),
    ...taken.map((key) => wrong(`annotations["${key}"]`, 'is written by this construct; give the prop for it')),
  ];
}

const wrong = (field: string, message: string): Refusal => ({
  code: 'wish/malformed',
  field,
  message: `${field}: ${message}`,
});

const withClass = ({ loadBalancerClass = VIP_CLASS, classless, ...rest }: VipServiceProps) => ({
  ...rest,
  ...(classless === true ? {} : { loadBalancerClass }),
});

function wishesOf({ addresses = [], group, sharingKey }: VipServiceProps): Readonly<Record<string, string>> {
  return {
    ...(addresses.length === 0 ? {} : { [VIP_KEYS.addresses]: addresses.join(',') }),
    ...(group === undefined ? {} : { [VIP_KEYS.group]: group }),
    ...(sharingKey === undefined ? {} : { [VIP_KEYS.sharingKey]: sharingKey }),
  };
}
