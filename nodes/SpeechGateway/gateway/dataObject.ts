import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../core/json';

/** Whether parsed JSON is an object, for n8n's types. */
export const isDataObject = (value: unknown): value is IDataObject => isRecord(value);
