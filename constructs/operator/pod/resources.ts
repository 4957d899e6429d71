import { k8s } from 'cdk8s-plus-28';

import type { OperatorResources } from './pod-props';

/** Requests and limits of the Pods by default. */
export const DEFAULT_RESOURCES = { cpuRequest: '50m', memoryRequest: '192Mi', memoryLimit: '512Mi' };

/**
 * Fills in the defaults.
 *
 * @param resources - as given to the operator
 * @returns the same, with the defaults of {@link OperatorResources}
 */
export function withDefaults(resources: OperatorResources): OperatorResources & typeof DEFAULT_RESOURCES {
  const {
    cpuRequest = DEFAULT_RESOURCES.cpuRequest,
    memoryRequest = DEFAULT_RESOURCES.memoryRequest,
    memoryLimit = DEFAULT_RESOURCES.memoryLimit,
  } = resources;
  return { ...resources, cpuRequest, memoryRequest, memoryLimit };
}

/**
 * Writes what the container gets.
 *
 * @param resources - as given to the operator
 * @returns requests and limits; no CPU limit unless it is asked for
 */
export function resourcesOf(resources: OperatorResources = {}): k8s.ResourceRequirements {
  const { cpuRequest, cpuLimit, memoryRequest, memoryLimit } = withDefaults(resources);
  const quantity = (text: string): k8s.Quantity => k8s.Quantity.fromString(text);
  return {
    requests: { cpu: quantity(cpuRequest), memory: quantity(memoryRequest) },
    limits: { memory: quantity(memoryLimit), ...(cpuLimit === undefined ? {} : { cpu: quantity(cpuLimit) }) },
  };
}

const PARTS = /^([0-9.]+)([a-zA-Z]*|[eE][-+]?[0-9]+)$/u;
const BINARY = 'KMGTPE';
const DECIMAL_POWERS: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };

/**
 * Reads a quantity of Kubernetes, well enough to compare two of them.
 *
 * @param quantity - for example `250m` or `1.5Gi`
 * @returns the amount; NaN for what is no quantity, and for one that is known after synth only
 */
export function amountOf(quantity: string): number {
  const [, digits = '', unit = ''] = PARTS.exec(quantity) ?? [];
  if (digits === '') return Number.NaN;
  if (unit.endsWith('i')) return Number(digits) * 1024 ** (BINARY.indexOf(unit.charAt(0)) + 1);
  if (unit in DECIMAL_POWERS) return Number(digits) * 10 ** (DECIMAL_POWERS[unit] ?? 0);
  return Number(`${digits}${unit}`);
}
