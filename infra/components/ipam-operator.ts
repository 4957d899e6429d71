import * as kubernetes from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';

import { IpamOperator as OperatorConstruct, type IpamOperatorProps } from '../../constructs';
import {
  COMMON_LABELS,
  isWebhookConfiguration,
  KEEP,
  NAMES,
  OPERATOR,
} from '../../constructs/render/component-support';
import type { ApiManifest } from '../../constructs/render/objects/ordered-objects';
import { OPERATOR_NAMESPACE } from '../../operator/contract/group';
import type { ZoneCatalogue } from '../../operator/contract/zones';
import { argsOf } from '../args/args';
import type { DeferredExcept } from '../args/deferred-props';
import { EXTRA_OPERATOR_ARGS } from '../args/extra-args';
import { LITERAL_OPERATOR_ARGS } from '../args/literal-args';
import { annotated, annotationsOf, SKIP_AWAIT } from '../outputs/awaiting';
import { COMPONENT, placeOf, STACK, thisStack, type ComponentPlace } from '../outputs/stack-mark';
import { checkExtraArgs, ConstructComponent, declare } from './construct-component';

/** Args of an {@link IpamOperator}: the props of the construct, with Outputs wherever the value is not looked at. */
export interface IpamOperatorArgs extends DeferredExcept<IpamOperatorProps, (typeof LITERAL_OPERATOR_ARGS)[number]> {
  /**
   * Fate of the objects that hold data (the namespace, the definitions of our kinds, the volume of SQLite) or that announce
   * addresses (MetalLB's pools and advertisements of the zones) when they are deleted or replaced: `retain` leaves them in the cluster,
   * `protect` makes Pulumi refuse (a destroy deletes the rest all the same), `none` deletes them, and with them the record of the objects that
   * hold addresses, and every address that is announced.
   *
   * @default 'retain'
   */
  readonly dataProtection?: 'retain' | 'protect' | 'none';
}

/** Object that each installation by Pulumi makes first; a cluster has one. */
const INSTALLATION = 'ipam-installation';
const HOLD_DATA: readonly string[] = ['Namespace', 'CustomResourceDefinition', 'PersistentVolumeClaim'];
// without them MetalLB withdraws every address of the zones
const ANNOUNCE: readonly string[] = ['IPAddressPool', 'L2Advertisement', 'BGPAdvertisement'];
const LASTING = [...HOLD_DATA, ...ANNOUNCE];
// What holds data outlives its stack. The provider invents a field manager for each resource of each stack, and the API server would
// refuse the next stack whatever it says otherwise; by one name the next one is the same writer.
const OUR_WRITER = { 'pulumi.com/patchFieldManager': 'cdk8s-ipam' };
// A volume is bound when the first Pod uses it. The provider would wait for that before it makes the Deployment whose Pod does.
const UNAWAITED = { [SKIP_AWAIT]: 'true' };

// what may be deleted must not bear the mark by which the operator's policy refuses that
function withoutKeep(object: ApiManifest): ApiManifest {
  const rest = Object.entries(annotationsOf(object)).filter(([key]) => !(key in KEEP));
  return { ...object, metadata: { ...object.metadata, annotations: Object.fromEntries(rest) } };
}

type Protection = NonNullable<IpamOperatorArgs['dataProtection']>;

const inputsFor =
  (protection: Protection) =>
  (object: ApiManifest): ApiManifest => {
    if (!LASTING.includes(object.kind)) return object;
    return annotated(protection === 'none' ? withoutKeep(object) : object, {
      ...OUR_WRITER,
      ...(object.kind === 'PersistentVolumeClaim' ? UNAWAITED : {}),
    });
  };

const PROTECTIONS = { retain: { retainOnDelete: true }, protect: { protect: true }, none: {} } as const;

function optionsOf(object: ApiManifest, protection: Protection): pulumi.CustomResourceOptions {
  // cert-manager or the operator itself puts the CA there; Pulumi would take it away again
  if (isWebhookConfiguration(object)) return { ignoreChanges: ['webhooks[*].clientConfig.caBundle'] };
  // most providers replace it for other zones, under its one name; made first, it would be deleted afterwards
  if (object.kind === 'ConfigMap') return { deleteBeforeReplace: true };
  return LASTING.includes(object.kind) ? PROTECTIONS[protection] : {};
}

/**
 * The IPAM operator with everything it needs, one Pulumi resource for each object that the construct of the same name
 * declares. MetalLB is expected in the cluster, and cert-manager unless `certificates` says otherwise.
 */
export class IpamOperator extends ConstructComponent {
  /** The zones, for the `zones` of an {@link IpamService}. Known at once, also in a preview. */
  readonly zones: ZoneCatalogue;
  /** Where the operator's Pods, Secrets and ConfigMaps stand. */
  readonly namespace: pulumi.Output<string>;
  /** Reference of the image that the operator runs. */
  readonly image: pulumi.Output<string>;

  /**
   * Declares the operator.
   *
   * @param name - name of the component, with which the names of its resources begin
   * @param args - zones and settings
   * @param opts - options of the component; give it a `provider` of Kubernetes with a version that you choose
   * @throws RunError with everything that `cdk8s synth` would refuse
   */
  constructor(name: string, args: IpamOperatorArgs, opts?: pulumi.ComponentResourceOptions) {
    const asked = { kind: 'IpamOperator', name, opts };
    const { dataProtection = 'retain', ...rest } = argsOf(asked, args);
    checkExtraArgs(asked, { dataProtection }, EXTRA_OPERATOR_ARGS);
    const declared = declare<IpamOperatorProps, OperatorConstruct>(asked, {
      args: rest,
      rule: OPERATOR,
      extra: EXTRA_OPERATOR_ARGS,
      literal: LITERAL_OPERATOR_ARGS,
      build: (chart, props) => new OperatorConstruct(chart, 'Operator', props),
      inputsFor: inputsFor(dataProtection),
      isEachNamed: false,
    });
    super(asked);
    const installation = this.#claimCluster(asked);
    const resources = this.toResources(name, declared, (object) =>
      pulumi.mergeOptions({ dependsOn: [installation] }, optionsOf(object, dataProtection)),
    );
    this.zones = declared.construct.zones;
    this.namespace = pulumi.output(OPERATOR_NAMESPACE);
    const { spec } = resources.resource(kubernetes.apps.v1.Deployment, NAMES.deployment);
    this.image = spec.apply(({ template }) => template.spec.containers[0]?.image ?? '');
    this.registerOutputs({ namespace: this.namespace, image: this.image });
  }

  // The first object of all. It grants nothing: a second stack on the cluster, or a component of another name, disagrees about its
  // annotations, and so ends before it takes over what would be deleted. Without rules, since the API server keeps no empty list of them.
  #claimCluster(asked: ComponentPlace): kubernetes.rbac.v1.ClusterRole {
    const annotations = { [STACK]: thisStack(), [COMPONENT]: placeOf(asked) };
    const metadata = { name: INSTALLATION, labels: COMMON_LABELS, annotations };
    return new kubernetes.rbac.v1.ClusterRole(`${asked.name}/Installation`, { metadata }, { parent: this });
  }
}
