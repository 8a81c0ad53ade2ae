/**
 * The fields of the contract in their order, with usual values and nobody's data: zstd refers to this text instead of
 * storing it. Never change it, because stored records can only be read with it. A better one needs a mark of its own.
 */
export const dictionary = Buffer.from(
  [
    // A company.
    '{"company_id":"1","public_identifier":"","company_name":"","tagline":null,"description":"","company_type":',
    '{"type_code":"PUBLIC_COMPANY","type_name":"Public Company"},{"type_code":"PRIVATELY_HELD","type_name":"Privately Held"},',
    '"locations":{"headquarter":{"country":"us","geographic_area":"California","city":"","postal_code":"","address_line1":"',
    '","is_headquarter":true},"all_locations":[{"country":"gb","geographic_area":null,"city":"London","postal_code":null,',
    '"address_line1":null,"is_headquarter":false}]},"industries":[{"id":"4","name":"Software Development"}],"specialities":[],',
    '"staff_info":{"staff_count":null,"staff_range":{"start":1001,"end":5000}},"followers_count":0,"founded_on":{"year":2010,',
    '"month":null,"day":null},"platform_url":"https://www.linkedin.com/company/","company_url":"https://www.","logo_url":',
    '"https://media.licdn.com/dms/image/v2/","background_photo_url":null,"cover_image_url":null,"call_to_action":{"text":"',
    'Visit website","url":""},"phone_number":null,"auto_generated":false,"claimable":false,"is_paid":true,"is_showcase":false,',
    '"funding_data":{"num_of_funding_rounds":1,"last_funding_round":{"funding_type":"Series A","money_raised":{"amount":1000000,',
    '"currency":"usd"},"announced_on":{"year":2015,"month":2,"day":1},"lead_investors":[{"name":"","logo":null,"investor_url":',
    'null}],"num_of_other_investors":0,"round_url":null}},"showcase_pages":[{"company_name":"","public_identifier":"","entity_urn":',
    'null,"company_url":"https://www.linkedin.com/company/","description":null,"logo_url":null,"followers_count":null,"industries":[],',
    '"is_paid":false,"is_showcase":true}],"affiliated_companies":[]}',
    // A person.
    '{"member_urn":"urn:li:member:1","entity_urn":"urn:li:fsd_profile:ACoAA","public_identifier":"","first_name":"',
    '","last_name":"","headline":"","summary":"","industry":"Information Technology & Services","profile_photo_url":"',
    'https://media.licdn.com/dms/image/v2/","background_photo_url":null,"profile_url":"https://www.linkedin.com/in/',
    '","websites":["https://www.linkedin.com/in/"],"is_memorialized":false,"location":{"name":"","city":"","country":"',
    'United States","country_code":"US"},"network_info":{"followers_count":500,"connections_count":500,"custom_action":null},',
    '"badges":{"premium":true,"creator":false,"influencer":false,"top_voice":false,"open_to_work":false,"is_hiring":false},',
    '"verifications":{"is_verified":true,"joined_date":"","sections":[]},"contact_info":{"email_address":null,"websites":[{',
    '"url":"","type":"","label":""}],"twitter_handles":[],"phone_numbers":[],"birth_date":{"year":1980,"month":1,"day":1,',
    '"iso":"1980-01-01"},"address":null},"experience":[{"company_name":"","company_id":null,"company_url":',
    '"https://www.linkedin.com/company/","company_logo_url":null,"company_industry":null,"company_employee_count_range":',
    '{"start":10001,"end":null},"workplace_type":null,"date_range":{"start":{"year":2018,"month":1,"day":null,"iso":"2018-01"},',
    '"end":{"year":2020,"month":12,"day":null,"iso":"2020-12"}},"positions":[{"title":"Senior Software Engineer","description":',
    'null,"location_name":null,"employment_type":null,"date_range":{"start":{"year":2021,"month":6,"day":null,"iso":"2021-06"},',
    '"end":null}}]},{"company_name":"","company_id":"","company_url":"","company_logo_url":"","company_industry":"',
    '","company_employee_count_range":null,"workplace_type":"On-site","date_range":null,"positions":[{"title":"Manager","description":"',
    '","location_name":"","employment_type":"Full-time","date_range":{"start":{"year":2015,"month":9,"day":null,"iso":"2015-09"},',
    '"end":{"year":2017,"month":8,"day":null,"iso":"2017-08"}}}]}],"education":[{"school_name":"University of ","school_id":null,',
    '"school_url":"https://www.linkedin.com/school/","school_logo_url":null,"company_id":null,"degree":"Bachelor of Science",',
    '"field_of_study":"Computer Science","grade":null,"activities":null,"description":null,"date_range":{"start":{"year":2008,',
    '"month":null,"day":null,"iso":"2008"},"end":{"year":2012,"month":null,"day":null,"iso":"2012"}}}],"skills":["Management',
    '","Leadership"],"certifications":[{"name":"","title":"","description":null,"url":"https://","image_url":null,"company":"',
    '","company_id":null,"position_held":null,"date_range":{"start":null,"end":null}}],"courses":[],"honors":[],"languages":[{',
    '"name":"English","title":"English","description":null,"url":null,"image_url":null,"company":null,"company_id":null,',
    '"position_held":null,"date_range":null,"proficiency":"Native or bilingual proficiency"},"Professional working proficiency"}],',
    '"organizations":[],"patents":[],"projects":[],"publications":[],"test_scores":[],"volunteer_experiences":[]}',
  ].join(''),
)
