import { mapOf } from '../../operator/contract/loose-json';
import { IpamError } from '../../operator/errors/ipam-error';
import { list, props } from '../props-kit/containers';
import { DNS_LABEL } from '../props-kit/kubernetes-values';
import { readProps } from '../props-kit/rule';
import { reportTo, type Check, type PlacedObject, type ValidationContext, type Violation } from './plugin';
import { POD_SECURITY_RULES } from './pod-security-rules';
import { podSpecOf } from './pod-specs';

/** Settings of {@link PodSecurityRestricted}. */
export interface PodSecurityRestrictedProps {
  /**
   * Namespaces whose Pods are not looked at, for example that of a CNI.
   *
   * @default - none
   */
  readonly exemptNamespaces?: readonly string[];
}

const PROPS = props<PodSecurityRestrictedProps>({ exemptNamespaces: list(DNS_LABEL) });

function violationsOf(placed: PlacedObject): readonly Violation[] {
  const pod = podSpecOf(placed.object);
  if (pod === undefined) return [];
  const isWindows = mapOf(pod.spec['os'])['name'] === 'windows';
  return POD_SECURITY_RULES.flatMap(({ rule, recommendation, fix, linuxOnly = false, locations }) => {
    const found = linuxOnly && isWindows ? [] : locations(pod);
    return found.length === 0 ? [] : [{ rule, recommendation, fix, placed, locations: found }];
  });
}

/**
 * Finds Pods that the Pod Security level `restricted` refuses.
 *
 * @param settings - what is left out
 * @returns what looks at every Pod and Pod template of an app
 * @throws {@link IpamError} `settings/invalid`, where `cdk8s.yaml` gives something else: a check must not be off unnoticed
 */
export function podSecurityCheck(settings: PodSecurityRestrictedProps = {}): Check {
  const { valid, problems } = readProps(PROPS, settings, 'settings/invalid');
  if (problems.length > 0) {
    throw new IpamError(
      'settings/invalid',
      problems.map(({ message }) => `PodSecurityRestricted: ${message}`).join('\n'),
    );
  }
  const { exemptNamespaces = [] } = valid;
  return (objects) =>
    objects.filter(({ object }) => !exemptNamespaces.includes(object.metadata.namespace ?? '')).flatMap(violationsOf);
}

/** Fails `cdk8s synth` on Pods that the Pod Security level `restricted` refuses. */
export class PodSecurityRestricted {
  readonly #check: Check;

  /**
   * Takes the settings of `cdk8s.yaml`.
   *
   * @param settings - `properties` there
   */
  constructor(settings: PodSecurityRestrictedProps = {}) {
    this.#check = podSecurityCheck(settings);
  }

  /**
   * Runs in the CLI of cdk8s.
   *
   * @param context - files and report
   * @returns when the report is handed in
   */
  validate(context: ValidationContext): Promise<void> {
    reportTo(context, PodSecurityRestricted.name, this.#check);
    return Promise.resolve();
  }
}
