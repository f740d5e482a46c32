import ApplePayGateways
import Testing

extension CompleteAnswer {
    static let others: [CompleteAnswer] = [
        .init(
            "CyberSource", CyberSource.PaymentAnswer.init, 201,
            #"{"id":"c-id","status":"DECLINED","reason":"outer","message":"outer","#
                + #""errorInformation":{"reason":"c-reason","message":"c-message","#
                + #""details":[{"field":"c-first"},{"x":1},{"field":"c-second"}]},"#
                + #""response":{"rmsg":"c-rmsg"},"orderInformation":{"amountDetails":{"#
                + #""authorizedAmount":"30.00","currency":"EUR"}},"processorInformation":{"#
                + #""approvalCode":"c-approval","responseCode":"c-response","#
                + #""networkTransactionId":"c-network"}}"#,
            """
            outcome: refused(code: Optional("c-reason"), text: Optional("c-message"))
            httpStatus: 201
            status: DECLINED
            id: c-id
            reason: c-reason
            message: c-message
            fields[0]: c-first
            fields[1]: c-second
            authorizedAmount: 30.00
            currency: EUR
            approvalCode: c-approval
            responseCode: c-response
            networkTransactionID: c-network
            """),
        .init(
            "CyberSource, error", CyberSource.PaymentAnswer.init, 400,
            #"{"id":"c-id","status":"c-status","reason":"c-reason","response":{"rmsg":"c-rmsg"}}"#,
            """
            outcome: refused(code: Optional("c-reason"), text: Optional("c-rmsg"))
            httpStatus: 400
            status: c-status
            id: c-id
            reason: c-reason
            message: c-rmsg
            """),
        .init(
            "Checkout.com", Checkout.PaymentAnswer.init, 201,
            #"{"id":"k-id","status":"Declined","approved":true,"amount":3000,"currency":"EUR","#
                + #""response_code":"k-code","response_summary":"k-summary","auth_code":"k-auth","#
                + #""eci":"k-eci","reference":"k-reference","_links":{"redirect":{"href":"k-url"}},"#
                + #""request_id":"k-request","error_type":"k-type","error_codes":["k-1",2,{}]}"#,
            """
            outcome: refused(code: Optional("k-code"), text: Optional("k-summary"))
            httpStatus: 201
            id: k-id
            status: Declined
            approved: true
            amount: 3000
            currency: EUR
            responseCode: k-code
            responseSummary: k-summary
            authCode: k-auth
            eci: k-eci
            reference: k-reference
            redirectURL: k-url
            requestID: k-request
            errorType: k-type
            errorCodes[0]: k-1
            errorCodes[1]: 2
            """),
        .init(
            "Checkout.com, error", Checkout.PaymentAnswer.init, 422,
            #"{"id":"k-id","status":"k-status","error_type":"k-type"}"#,
            """
            outcome: refused(code: Optional("k-type"), text: Optional("k-type"))
            httpStatus: 422
            id: k-id
            status: k-status
            errorType: k-type
            """),
        .init(
            "Adyen", Adyen.PaymentAnswer.init, 200,
            #"{"resultCode":"RedirectShopper","pspReference":"a-psp","#
                + #""merchantReference":"a-reference","refusalReason":"a-reason","#
                + #""refusalReasonCode":"a-code","amount":{"value":3000,"currency":"EUR"},"#
                + #""errorCode":"a-error","errorType":"a-type","message":"a-message","#
                + #""action":{"type":"a-action","url":"https://a.example/1","method":"a-method"}}"#,
            """
            outcome: actionRequired(https://a.example/1)
            httpStatus: 200
            resultCode: RedirectShopper
            pspReference: a-psp
            merchantReference: a-reference
            refusalReason: a-reason
            refusalReasonCode: a-code
            amount: 3000
            currency: EUR
            action.type: a-action
            action.url: https://a.example/1
            action.method: a-method
            errorCode: a-error
            errorType: a-type
            message: a-message
            """),
        .init(
            "Adyen, error", Adyen.PaymentAnswer.init, 422,
            #"{"resultCode":"a-result","errorCode":"a-error","message":"a-message"}"#,
            """
            outcome: refused(code: Optional("a-error"), text: Optional("a-message"))
            httpStatus: 422
            resultCode: a-result
            errorCode: a-error
            message: a-message
            """),
        .init(
            "PayPal", PayPal.OrderAnswer.init, 201,
            #"{"id":"o-id","status":"COMPLETED","name":"o-name","error":"outer","#
                + #""message":"o-message","error_description":"outer","debug_id":"o-debug","#
                + #""details":[{"issue":"o-1"},{},{"issue":"o-2"}],"#
                + #""links":[{"rel":"self","href":"x"},{"rel":"approve","href":"o-url"}],"#
                + #""purchase_units":[{"payments":{"captures":[{"id":"c-id","status":"COMPLETED","#
                + #""amount":{"value":"30.00","currency_code":"EUR"},"processor_response":{"#
                + #""response_code":"c-code"}}],"authorizations":[{"id":"a-id","status":"a-status","#
                + #""amount":{"value":"5.00","currency_code":"USD"},"processor_response":{"#
                + #""response_code":"a-code"}}]}}]}"#,
            """
            outcome: paid
            httpStatus: 201
            id: o-id
            status: COMPLETED
            captures[0].id: c-id
            captures[0].status: COMPLETED
            captures[0].amount: 30.00
            captures[0].currency: EUR
            captures[0].responseCode: c-code
            authorizations[0].id: a-id
            authorizations[0].status: a-status
            authorizations[0].amount: 5.00
            authorizations[0].currency: USD
            authorizations[0].responseCode: a-code
            errorName: o-name
            message: o-message
            debugID: o-debug
            issues[0]: o-1
            issues[1]: o-2
            actionURL: o-url
            """),
        .init(
            "PayPal, voided", PayPal.OrderAnswer.init, 200, #"{"id":"o-id","status":"VOIDED"}"#,
            """
            outcome: refused(code: Optional("VOIDED"), text: nil)
            httpStatus: 200
            id: o-id
            status: VOIDED
            """),
        .init(
            "PayPal, error", PayPal.OrderAnswer.init, 401,
            #"{"id":"x","status":"x","error":"o-error","error_description":"o-description"}"#,
            """
            outcome: refused(code: Optional("o-error"), text: Optional("o-description"))
            httpStatus: 401
            errorName: o-error
            message: o-description
            """),
        .init(
            "PayPal, access token", PayPal.AccessTokenAnswer.init, 200,
            #"{"access_token":"t-token","expires_in":32400,"error":"t-error"}"#,
            """
            outcome: pending
            accessToken: t-token
            expiresIn: 32400
            error: t-error
            """),
        .init(
            "PayPal, refused access token", PayPal.AccessTokenAnswer.init, 401,
            #"{"access_token":"x","error":"t-error","error_description":"t-description"}"#,
            """
            outcome: refused(code: Optional("t-error"), text: Optional("t-description"))
            error: t-error
            """),
    ]
}
